import {
  buryJob,
  claimJobs,
  completeJob,
  extendLeases,
  type Failing,
  giveJobBack,
  type Job,
  nextDueUs,
  outboxChannel,
  retryJobLater,
} from './outbox.ts';
import { backoffMilliseconds, pause } from './pause.ts';
import type { Store, StoreLog } from './store.ts';
import type { StoreTables } from './tables.ts';

/** What became of a job. */
export type JobOutcome =
  | { readonly result: 'done'; readonly status?: number | null }
  | ({ readonly result: 'retry'; readonly afterMs: number } & Failing)
  | ({ readonly result: 'dead' } & Failing)
  /** The handler has settled it already, in a transaction of its own. */
  | { readonly result: 'settled' };

export interface OutboxWorkerOptions {
  readonly store: Store<StoreTables>;
  readonly topic: string;
  /**
   * Does one job. It may be given the same job again, after a crash or a lost lease. The signal is aborted
   * when the job is no longer this worker's: when its lease is lost, or a stop has waited long enough. What
   * it throws counts as a failure that may pass, and is tried again up to `maxAttempts` times.
   */
  readonly handle: (job: Job, signal: AbortSignal) => Promise<JobOutcome>;
  /** Jobs at a time; 4 unless said. */
  readonly concurrency?: number;
  /** How long after this process' death others take its jobs; 60 s unless said. Prolonged while it lives. */
  readonly leaseMs?: number;
  /** The longest time without a look, should a wake-up be lost; 5 s unless said. */
  readonly pollMs?: number;
  /** How long a stop waits for running jobs before it gives them back; 8 s unless said. */
  readonly graceMs?: number;
  /** A job that was given out this often without an outcome is buried; 20 unless said. */
  readonly maxAttempts?: number;
  /** Aborted to stop. */
  readonly signal: AbortSignal;
  readonly log?: StoreLog | undefined;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10 * 60_000;
const SETTLE_ATTEMPTS = 5;

/**
 * Works on a topic until told to stop: takes jobs as they fall due, woken by new ones. Resolves when all
 * that ran has ended or been given back.
 */
export async function runOutbox(options: OutboxWorkerOptions): Promise<void> {
  const worker = new OutboxWorker(options);
  await worker.run();
}

interface RunningJob {
  readonly job: Job;
  readonly abandon: AbortController;
}

class OutboxWorker {
  readonly #options: Required<Omit<OutboxWorkerOptions, 'log'>> & { log: StoreLog | undefined };
  readonly #running = new Map<number, RunningJob>();
  #wake = new AbortController();

  constructor(options: OutboxWorkerOptions) {
    const defaults = { concurrency: 4, leaseMs: 60_000, pollMs: 5_000, graceMs: 8_000, maxAttempts: 20 };
    this.#options = { ...defaults, log: undefined, ...options };
  }

  async run(): Promise<void> {
    const { store, topic, signal } = this.#options;
    const stopListening = store.listen(outboxChannel(topic), () => this.#wake.abort());
    const over = new AbortController();
    const renewing = this.#renewLeases(over.signal);
    try {
      while (!signal.aborted) await this.#turn();
    } finally {
      stopListening();
      await this.#drain();
      over.abort();
      await renewing;
    }
  }

  /** Starts what is due and there is room for, then waits until that may have changed. */
  async #turn(): Promise<void> {
    const { store, topic, concurrency, leaseMs, pollMs, signal, log } = this.#options;
    // Made anew before looking, so that what happens meanwhile is not missed.
    this.#wake = new AbortController();
    try {
      const limit = concurrency - this.#running.size;
      const jobs = limit > 0 ? await claimJobs(store, topic, { limit, leaseMs }) : [];
      for (const job of jobs) this.#start(job);
      if (jobs.length > 0 && jobs.length === limit) return;
      const due = limit > jobs.length ? await nextDueUs(store, topic) : undefined;
      const untilDue = due === undefined ? pollMs : Math.ceil((due - store.clock.nowMicroseconds()) / 1_000);
      // At least a moment: what is due now and was not to be had is somebody else's.
      const milliseconds = Math.min(pollMs, Math.max(50, untilDue));
      await store.clock.sleep(milliseconds, AbortSignal.any([signal, this.#wake.signal]));
    } catch (error) {
      log?.warn({ err: error, topic }, 'the outbox could not be read; trying again');
      await pause(FIRST_RETRY_MS, signal);
    }
  }

  #start(job: Job): void {
    const running = { job, abandon: new AbortController() };
    this.#running.set(job.id, running);
    void this.#work(running).finally(() => {
      if (this.#running.get(job.id) === running) this.#running.delete(job.id);
      this.#wake.abort();
    });
  }

  async #work({ job, abandon }: RunningJob): Promise<void> {
    const { topic, log } = this.#options;
    const outcome = await this.#attempt(job, abandon.signal);
    for (let attempt = 1; !abandon.signal.aborted; attempt += 1) {
      try {
        if (!(await this.#settle(job, outcome)))
          log?.warn({ topic, job: job.id }, 'a job was taken over by others');
        return;
      } catch (error) {
        log?.warn({ err: error, topic, job: job.id }, 'the outcome of a job could not be noted');
        // It comes back when its lease has run out.
        if (attempt === SETTLE_ATTEMPTS) return;
        await pause(backoffMilliseconds(attempt, 100, 2_000), abandon.signal);
      }
    }
  }

  async #attempt(job: Job, signal: AbortSignal): Promise<JobOutcome> {
    const { handle, maxAttempts, topic, log } = this.#options;
    if (job.attempts > maxAttempts) {
      return { result: 'dead', error: job.lastError ?? `no outcome after ${maxAttempts} attempts` };
    }
    try {
      return await handle(job, signal);
    } catch (error) {
      log?.warn({ err: error, topic, job: job.id }, 'a job failed');
      const message = error instanceof Error ? error.message : String(error);
      if (job.attempts >= maxAttempts) return { result: 'dead', error: message };
      return {
        result: 'retry',
        afterMs: backoffMilliseconds(job.attempts, FIRST_RETRY_MS, LONGEST_RETRY_MS),
        error: message,
      };
    }
  }

  async #settle(job: Job, outcome: JobOutcome): Promise<boolean> {
    const { db, clock } = this.#options.store;
    switch (outcome.result) {
      case 'done':
        return completeJob(db, job, outcome.status ?? null);
      case 'retry':
        return retryJobLater(db, job, clock.nowMicroseconds() + Math.round(outcome.afterMs * 1_000), outcome);
      case 'dead':
        return buryJob(db, job, outcome);
      case 'settled':
        return true;
    }
  }

  async #renewLeases(over: AbortSignal): Promise<void> {
    const { store, topic, leaseMs, log } = this.#options;
    while (!over.aborted) {
      await store.clock.sleep(leaseMs / 3, over);
      const running = [...this.#running.values()];
      if (over.aborted || running.length === 0) continue;
      try {
        const jobs = running.map(({ job }) => job);
        const held = await extendLeases(store, jobs, leaseMs);
        for (const { job, abandon } of running) if (!held.has(job.id)) abandon.abort();
      } catch (error) {
        log?.warn({ err: error, topic }, 'leases could not be renewed');
      }
    }
  }

  /** Waits for running jobs, then gives back those that take too long. */
  async #drain(): Promise<void> {
    const { store, topic, graceMs, log } = this.#options;
    const patience = new AbortController();
    const waiting = pause(graceMs, patience.signal);
    while (this.#running.size > 0) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      const ended = new Promise<'ended'>((resolve) => {
        signal.addEventListener('abort', () => resolve('ended'), { once: true });
      });
      if ((await Promise.race([ended, waiting])) !== 'ended') break;
    }
    patience.abort();
    for (const { job, abandon } of this.#running.values()) {
      abandon.abort();
      try {
        await giveJobBack(store.db, job);
      } catch (error) {
        log?.warn(
          { err: error, topic, job: job.id },
          'a job could not be given back; its lease will run out',
        );
      }
    }
  }
}
