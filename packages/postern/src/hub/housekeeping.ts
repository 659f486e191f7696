import type { Clock } from '@postern/kit';
import {
  type BlobStore,
  deleteExpiredIdempotency,
  deleteFinishedJobs,
  deleteFullBuckets,
  giveBackFreePages,
  type Store,
  type StoreTables,
} from '@postern/store';
import { sql } from 'kysely';
import type { Logger } from 'pino';

/** How often what no service remembers any more is swept out of what all of them share. */
const SWEEP_MS = 3_600_000;
/** How long deliveries and other jobs stay listed after they were done or given up, in microseconds. */
const JOBS_KEPT_US = 90 * 24 * 3_600_000_000;
/** Jobs that one statement removes. */
const JOBS_AT_ONCE = 1_000;

interface Shared {
  readonly store: Store<StoreTables>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sweeps now and every hour until it is stopped. */
export function startHousekeeping({ store, blobs, clock, log }: Shared): () => Promise<void> {
  const stop = new AbortController();

  async function sweepJobs(): Promise<number> {
    const beforeUs = clock.nowMicroseconds() - JOBS_KEPT_US;
    for (let total = 0; ; ) {
      const deleted = await deleteFinishedJobs(store.db, { beforeUs, limit: JOBS_AT_ONCE });
      total += deleted;
      if (deleted < JOBS_AT_ONCE || stop.signal.aborted) return total;
    }
  }

  const sweeping = (async () => {
    while (!stop.signal.aborted) {
      try {
        const keys = await deleteExpiredIdempotency(store);
        const buckets = await deleteFullBuckets(store.db);
        const jobs = await sweepJobs();
        await blobs.sweep();
        // Renews the statistics of tables that have changed much; PostgreSQL does so by itself.
        if (store.engine === 'sqlite') await sql`PRAGMA optimize`.execute(store.db);
        const pages = await giveBackFreePages(store, stop.signal);
        log.debug(
          { keys, buckets, jobs, pages },
          'forgot expired keys, full buckets, old jobs and unfinished blobs',
        );
      } catch (error) {
        log.warn({ err: error }, 'what all services share could not be swept; trying again in an hour');
      }
      await clock.sleep(SWEEP_MS, stop.signal);
    }
  })();
  return async () => {
    stop.abort();
    await sweeping;
  };
}
