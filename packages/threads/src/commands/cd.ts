import { allowedFolder } from '../sessions/folders.ts';
import { type CommandDefinition, refused, said } from './definition.ts';

export const cdCommand: CommandDefinition = {
  name: 'cd',
  aliases: [],
  usage: '<path>',
  help: 'Works in another folder, below the ones that are allowed. In front of a task, the session begins there.',
  who: 'allowed',
  isStackable: true,
  needsSession: false,
  isAudited: true,
  takes: 1,
  async run({ session, person, args: [path], setUp, typed, actions }, { config, deniedPaths }) {
    const current = session?.workingDir ?? setUp.workingDir ?? config.workingDir;
    if (path === undefined)
      return refused(`📁 The folder is \`${current}\`. Another: ${typed('cd <path>')}.`);
    if (session === null) {
      const place = await allowedFolder(config, deniedPaths, current, path);
      if ('reason' in place) return refused(`⚠️ ${place.reason}`);
      setUp.workingDir = place.folder;
      return { reply: null, done: true };
    }
    const outcome = await actions.changeDir(session.id, path, person);
    if (!outcome.ok) return refused(`⚠️ ${outcome.reason}`);
    const changed = await actions.view(session.id);
    return said(`📁 Now in \`${changed?.workingDir ?? path}\`.`);
  },
};
