import { type CommandDefinition, refused, silent } from './definition.ts';

export const approveCommand: CommandDefinition = {
  name: 'approve',
  aliases: ['yes'],
  usage: '',
  help: 'Approves the plan that waits, as 👍 does.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'nothing',
  async run({ session, person, actions }) {
    const isDone = session !== null && (await actions.approvePlan(session.id, person));
    return isDone ? silent : refused('No plan waits that you may approve.');
  },
};
