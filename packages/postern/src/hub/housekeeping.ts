import type { Clock } from '@postern/kit';
import { deleteExpiredIdempotency, deleteFullBuckets, type Store, type StoreTables } from '@postern/store';
import type { Logger } from 'pino';

/** How often what no service remembers any more is swept out of the tables all of them share. */
const SWEEP_MS = 3_600_000;

/** Sweeps now and every hour until it is stopped. */
export function startHousekeeping(store: Store<StoreTables>, clock: Clock, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  const sweeping = (async () => {
    while (!stop.signal.aborted) {
      try {
        const keys = await deleteExpiredIdempotency(store);
        const buckets = await deleteFullBuckets(store.db);
        log.debug({ keys, buckets }, 'forgot expired idempotency keys and full token buckets');
      } catch (error) {
        log.warn({ err: error }, 'the shared tables could not be swept; trying again in an hour');
      }
      await clock.sleep(SWEEP_MS, stop.signal);
    }
  })();
  return async () => {
    stop.abort();
    await sweeping;
  };
}
