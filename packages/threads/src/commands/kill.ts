import { type CommandDefinition, refused, said } from './definition.ts';

export const killCommand: CommandDefinition = {
  name: 'kill',
  aliases: [],
  usage: '',
  help: 'Ends all sessions of this bot here and takes no more until its next start. Heard without a mention too.',
  who: 'allowed',
  isStackable: false,
  needsSession: false,
  isAudited: true,
  takes: 'nothing',
  isLast: true,
  async run({ platform, person, actions }) {
    // Whoever began a session may have left the list since; that is no right to end those of others.
    if ((await actions.standing(null, platform.id, person.id)) !== 'allowed') {
      return refused('⛔ That command is for people on the list of this bot.');
    }
    const count = await actions.kill(platform.id, person);
    const sessions = count === 1 ? '1 session was' : `${count} sessions were`;
    return said(`🛑 ${sessions} ended by ${person.name}. I take no more messages until my next start.`);
  },
};
