import type { PermissionMode } from '../agent/agent.ts';
import { type CommandDefinition, refused, said } from './definition.ts';

const MODES: readonly PermissionMode[] = ['default', 'auto', 'bypass'];

/** Other words for the modes. */
const OTHER_WORDS: Readonly<Record<string, PermissionMode>> = { interactive: 'default', skip: 'bypass' };

const IN_WORDS: Readonly<Record<PermissionMode, string>> = {
  default: 'tools ask first',
  auto: 'the agent decides which tools ask first',
  bypass: 'no tool asks',
};

export const permissionsCommand: CommandDefinition = {
  name: 'permissions',
  aliases: [],
  usage: 'default|auto|bypass',
  help: 'How far the agent asks before it uses tools; never less than the configuration says.',
  who: 'allowed',
  isStackable: true,
  needsSession: false,
  isAudited: true,
  takes: 1,
  async run({ platform, session, person, args: [word], setUp, typed, actions }, { config }) {
    // Where nothing is configured, nothing is allowed beyond asking.
    const most = config.platforms.find(({ id }) => id === platform.id)?.permissionMode ?? 'default';
    const current = session?.permissionMode ?? setUp.permissionMode ?? most;
    if (word === undefined) {
      return refused(`🔐 The mode is \`${current}\`: ${IN_WORDS[current]}. It may be up to \`${most}\`.`);
    }
    const mode = modeOf(word);
    if (mode === null) return refused(`Write ${typed('permissions default')}, \`auto\` or \`bypass\`.`);
    if (MODES.indexOf(mode) > MODES.indexOf(most)) {
      return refused(`⚠️ The configuration allows no more than \`${most}\` here.`);
    }
    if (session === null) {
      setUp.permissionMode = mode;
      return { reply: null, done: true };
    }
    const outcome = await actions.changePermissionMode(session.id, mode, person);
    return outcome.ok
      ? said(`🔐 From now on ${IN_WORDS[mode]} (\`${mode}\`).`)
      : refused(`⚠️ ${outcome.reason}`);
  },
};

function modeOf(word: string): PermissionMode | null {
  const name = word.toLowerCase();
  if (Object.hasOwn(OTHER_WORDS, name)) return OTHER_WORDS[name] ?? null;
  return MODES.find((mode) => mode === name) ?? null;
}
