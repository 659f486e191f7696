import type { CampaignsPorts } from '../ports.ts';
import { storageTimeout } from '../storage-timeout.ts';
import { runInWorker, type WorkerTask } from './task.ts';

/** How long a request waits for work that grows with the tables, in milliseconds. */
const LIMIT_MS = 10_000;

/**
 * Runs a task off the event loop, and gives up when it takes too long (contract, 8.12); the task is told by its signal.
 *
 * @throws Failure storage_timeout when time is over.
 * @throws the signal's reason when the caller goes away.
 */
export async function runInTime<Input, Output>(
  ports: CampaignsPorts,
  task: WorkerTask<Input, Output>,
  input: Input,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<Output> {
  const late = AbortSignal.timeout(limitMs);
  const stop = AbortSignal.any([signal, late]);
  const given: { up?: () => void } = {};
  const stopped = new Promise<never>((_, reject) => {
    given.up = () => reject(late.aborted ? storageTimeout(late.reason) : stop.reason);
    stop.addEventListener('abort', given.up, { once: true });
    if (stop.aborted) given.up();
  });
  try {
    return await Promise.race([runInWorker(ports, task, input, stop), stopped]);
  } finally {
    if (given.up) stop.removeEventListener('abort', given.up);
  }
}
