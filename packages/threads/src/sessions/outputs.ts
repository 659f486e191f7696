import type { Log } from '@postern/http';
import type { Clock, NewId } from '@postern/kit';
import { EditBudget } from '../output/edit-budget.ts';
import { ThreadOutput } from '../output/thread-output.ts';
import type { OutputOptions, SessionJoins } from './joins.ts';

export interface OutputPorts {
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly flushDelayMs: number;
}

/** Opens the outputs of sessions; those of one platform share what it bears of edits. */
export function threadOutputs(ports: OutputPorts): SessionJoins['openOutput'] {
  const { clock, log, flushDelayMs } = ports;
  const budgets = new Map<string, EditBudget>();
  const budgetOf = ({ platform }: OutputOptions): EditBudget => {
    const known = budgets.get(platform.id);
    if (known) return known;
    const made = new EditBudget({ clock, intervalMs: platform.capabilities.editIntervalMs });
    budgets.set(platform.id, made);
    return made;
  };
  return (options) => {
    const { platform, channelId, threadId, workingDir } = options;
    const output = new ThreadOutput({
      platform,
      channelId,
      threadId,
      workingDir,
      clock,
      log,
      flushDelayMs,
      budget: budgetOf(options),
      keyPrefix: ports.newId('out'),
    });
    return {
      async handle(event) {
        await output.push(event);
        // What a turn has said is posted before its message counts as answered.
        if (event.type === 'turn_finished') await output.flush();
      },
      settle: () => output.flush(),
      outrun: () => output.outrun(),
      react: (ref, emoji) => output.react(ref, emoji),
      close: (signal) => output.close(signal),
    };
  };
}
