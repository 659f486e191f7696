import { agentCommand } from './agent-command.ts';
import type { CommandDefinition } from './definition.ts';

export const contextCommand: CommandDefinition = {
  name: 'context',
  aliases: [],
  usage: '',
  help: 'Shows how full the agent’s context is.',
  who: 'guest',
  isStackable: false,
  needsSession: true,
  isAudited: false,
  takes: 'nothing',
  run: (call) => agentCommand(call, 'context'),
};
