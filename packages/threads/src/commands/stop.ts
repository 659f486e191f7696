import { type CommandDefinition, silent } from './definition.ts';

export const stopCommand: CommandDefinition = {
  name: 'stop',
  aliases: ['cancel'],
  usage: '',
  help: 'Ends the session for good.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'nothing',
  isLast: true,
  async run({ session, person, actions }) {
    if (session !== null) await actions.end(session.id, `stopped by @${person.name}`, person);
    return silent;
  },
};
