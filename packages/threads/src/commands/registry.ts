import { approveCommand } from './approve.ts';
import { cdCommand } from './cd.ts';
import { compactCommand } from './compact.ts';
import { contextCommand } from './context.ts';
import { costCommand } from './cost.ts';
import type { CommandDefinition } from './definition.ts';
import { escapeCommand } from './escape.ts';
import { helpCommand } from './help.ts';
import { inviteCommand } from './invite.ts';
import { kickCommand } from './kick.ts';
import { killCommand } from './kill.ts';
import { tasksCommand } from './list-tasks.ts';
import { memoryCommand } from './memory.ts';
import { mentionsCommand } from './mentions.ts';
import { permissionsCommand } from './permissions.ts';
import { proposeCommand } from './propose-task.ts';
import { rememberCommand } from './remember.ts';
import { stopCommand } from './stop.ts';
import { worktreeCommand } from './worktree.ts';

/** All commands there are, in the order of the help. */
export const definitions: readonly CommandDefinition[] = [
  helpCommand(() => definitions),
  stopCommand,
  escapeCommand,
  killCommand,
  cdCommand,
  worktreeCommand,
  permissionsCommand,
  inviteCommand,
  kickCommand,
  mentionsCommand,
  approveCommand,
  contextCommand,
  costCommand,
  compactCommand,
  rememberCommand,
  memoryCommand,
  proposeCommand('routine'),
  tasksCommand('routine'),
  proposeCommand('watch'),
  tasksCommand('watch'),
];
