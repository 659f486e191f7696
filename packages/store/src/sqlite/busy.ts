import { StoreBusyError } from '../errors.ts';
import { pause } from '../pause.ts';

/** SQLITE_BUSY; the higher bits of a code say why. */
const BUSY = 5;

/**
 * Between two looks at a database file that another process or thread has locked: most transactions are over
 * in a few milliseconds, and the gap between two of a busy writer is not longer.
 */
const BUSY_PAUSE_MS = 1;

/**
 * Tries again as long as another process has the database locked; `attempt` must have done nothing when it
 * finds that. SQLite's own waiting would block the event loop.
 *
 * @param rest is what to do between two tries.
 * @throws StoreBusyError when the database is not free after so many milliseconds.
 */
export async function untilFree<T>(
  waitMs: number,
  attempt: () => T,
  mayRetry: () => boolean = () => true,
  rest: () => Promise<void> = busyPause,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || !mayRetry()) throw error;
      if (performance.now() - since >= waitMs) {
        throw new StoreBusyError(`another process kept the database locked for ${waitMs} ms`);
      }
      await rest();
    }
  }
}

export function busyPause(): Promise<void> {
  return pause(BUSY_PAUSE_MS);
}

export function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === BUSY;
}
