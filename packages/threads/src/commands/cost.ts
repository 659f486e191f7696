import { type CommandDefinition, refused, said } from './definition.ts';

export const costCommand: CommandDefinition = {
  name: 'cost',
  aliases: [],
  usage: '',
  help: 'Shows what the session has cost so far.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: false,
  takes: 'nothing',
  async run({ session }) {
    if (session === null) return refused('There is no session.');
    return said(
      `💰 $${session.costUsd.toFixed(session.costUsd < 1 ? 4 : 2)} so far, by the agent’s own account.`,
    );
  },
};
