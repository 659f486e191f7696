import { type CommandDefinition, refused, silent } from './definition.ts';

export const escapeCommand: CommandDefinition = {
  name: 'escape',
  aliases: ['interrupt'],
  usage: '',
  help: 'Interrupts what the agent is doing; the session goes on with the next message.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'nothing',
  async run({ session, person, actions }) {
    const isDone = session !== null && (await actions.interrupt(session.id, person));
    // The end of the turn is told in the thread, as after ⏸️ on the header.
    return isDone ? silent : refused('The agent is doing nothing just now.');
  },
};
