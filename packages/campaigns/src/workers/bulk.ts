import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@postern/store';

/**
 * How work on many rows shares the database. SQLite has one writer at a time, and those who wait for it only look
 * again now and then: whoever wrote without a gap would keep everybody else out until the end.
 */

/** Rows of one transaction; at most 1,000 (contract, section 6). */
const ROWS = 1_000;
/** On SQLite others wait as long as it takes. */
const ROWS_WHILE_AWAITED = 100;
/** Longer than anybody who waits for SQLite's lock sleeps. */
const GAP_MS = 2;

type Shared = Pick<Store<unknown>, 'engine' | 'isAwaited'>;

/** How many rows the next transaction should have. */
export function bulkRows({ engine, isAwaited }: Shared): number {
  return engine === 'sqlite' && isAwaited ? ROWS_WHILE_AWAITED : ROWS;
}

/** Leaves the database to others for a moment, if any want it; to be called between two transactions. */
export async function giveWay({ isAwaited }: Shared): Promise<void> {
  // On a real timer on purpose: it is the machine that others wait for.
  if (isAwaited) await pause(GAP_MS);
}
