import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '@postern/store';

/**
 * How work on many rows shares the database. SQLite has one writer at a time, and those who wait for it only look
 * again now and then: whoever wrote without a gap would keep everybody else out until the end.
 */

/** Rows of one transaction; at most 1,000 (contract, section 6). On SQLite others wait as long as it takes. */
export const BULK_ROWS: Readonly<Record<Engine, number>> = { sqlite: 250, postgres: 1_000 };

/** Longer than anybody who waits for SQLite's lock sleeps. */
const GAP_MS = 2;

/** Leaves the database to others for a moment; to be called between two transactions. */
export async function giveWay({ engine }: { readonly engine: Engine }): Promise<void> {
  // On a real timer on purpose: it is the machine that others wait for.
  if (engine === 'sqlite') await pause(GAP_MS);
}
