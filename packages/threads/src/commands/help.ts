import { mayAs } from '../sessions/decide.ts';
import type { Typed } from '../typed.ts';
import { type CommandDefinition, said, signature } from './definition.ts';

/** @param all The whole registry, this command in it. */
export function helpCommand(all: () => readonly CommandDefinition[]): CommandDefinition {
  return {
    name: 'help',
    aliases: [],
    usage: '',
    help: 'Lists the commands.',
    who: 'guest',
    isStackable: false,
    needsSession: false,
    isAudited: false,
    takes: 'nothing',
    async run({ person, platform, typed }, { config }) {
      const behaviour = config.platforms.find(({ id }) => id === platform.id);
      const isOn = ({ feature }: CommandDefinition) => feature === undefined || behaviour?.[feature] === true;
      return said(
        helpText(
          all().filter((each) => mayAs(person.standing, each.who) && isOn(each)),
          typed,
        ),
      );
    },
  };
}

/** The commands for people to read. */
function helpText(commands: readonly CommandDefinition[], typed: Typed): string {
  const lines = commands.map((command) => {
    const aliases = command.aliases.map((alias) => `\`!${alias}\``).join(', ');
    return `- \`!${signature(command)}\`${aliases === '' ? '' : ` (or ${aliases})`}: ${command.help}`;
  });
  return [
    '**Commands**',
    ...lines,
    '',
    `A command stands at the beginning of a message, as in ${typed('help')}. What begins with a slash, such as \`/compact\`, goes to the agent as it is.`,
  ].join('\n');
}
