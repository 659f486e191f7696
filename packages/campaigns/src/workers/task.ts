import type { CampaignsPorts } from '../ports.ts';

/**
 * Work that may take long, or many rows. It runs on a thread of its own, on a connection of its own, so that the
 * event loop that answers requests is never held by it.
 */
export interface WorkerTask<Input, Output> {
  /** Address of the module that exports the task; the thread loads it from there. */
  readonly module: string;
  /** Name of the export. */
  readonly name: string;
  /** Input and output travel between threads, so they hold plain data only. */
  run(ports: CampaignsPorts, input: Input, signal: AbortSignal): Promise<Output>;
}

/**
 * Declares a task, as an export of that name:
 * `export const countSegmentTask = workerTask(import.meta.url, 'countSegmentTask', async (ports, input: …) => …)`.
 */
export function workerTask<Input, Output>(
  module: string,
  name: string,
  run: WorkerTask<Input, Output>['run'],
): WorkerTask<Input, Output> {
  return { module, name, run };
}

/** Where tasks are run. */
export interface Workers {
  /**
   * Runs a task on a thread.
   *
   * @throws what the task throws; a Failure stays one.
   * @throws WorkerLostError when the thread ends under it.
   */
  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    signal?: AbortSignal | undefined,
  ): Promise<Output>;
}

/** Runs a task where the ports say: on a thread, or in place where there are none, as in tests. */
export function runInWorker<Input, Output>(
  ports: CampaignsPorts,
  task: WorkerTask<Input, Output>,
  input: Input,
  signal: AbortSignal = new AbortController().signal,
): Promise<Output> {
  return ports.workers ? ports.workers.run(task, input, signal) : task.run(ports, input, signal);
}

/** The thread of a task ended before the task did; what it had committed stands. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}
