import { agentCommand } from './agent-command.ts';
import type { CommandDefinition } from './definition.ts';

export const compactCommand: CommandDefinition = {
  name: 'compact',
  aliases: [],
  usage: '[what to keep]',
  help: 'Has the agent sum up the session so far, which frees its context.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: true,
  takes: 'all',
  run: (call) => agentCommand(call, 'compact', call.rest),
};
