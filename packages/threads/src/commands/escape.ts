import { type CommandDefinition, refused, said } from './definition.ts';

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
    return isDone
      ? said(`⏸️ Interrupted by ${person.name}.`)
      : refused('The agent is doing nothing just now.');
  },
};
