import { type Kysely, sql } from 'kysely';
import { pause } from '../pause.ts';
import type { Store } from '../store.ts';

/** Pages that one transaction gives back: a few milliseconds of the only write lock. */
const PAGES_AT_ONCE = 256;
const BETWEEN_MS = 50;
/** Free pages are used again before the file grows, so that only many of them are worth the moving about. */
const WORTH_SHARE = 0.25;
const WORTH_PAGES = 4_096;

/**
 * Gives the pages that deleted rows have left in an SQLite file back to the disk, a few at a time and only
 * while nobody waits to write, once they are a quarter of the file and 16 MiB of it. Full VACUUM would hold
 * up every writer for as long as copying the file takes. PostgreSQL uses such room again by itself: there it
 * does nothing.
 *
 * @returns how many pages, of 4,096 bytes unless the file was made with others.
 */
export async function giveBackFreePages<DB>(store: Store<DB>, signal: AbortSignal): Promise<number> {
  if (store.engine !== 'sqlite') return 0;
  const db = store.db as unknown as Kysely<unknown>;
  const first = await freePages(db);
  if (first.free < WORTH_PAGES || first.free < first.all * WORTH_SHARE) return 0;
  let left = first.free;
  while (left > 0 && !signal.aborted) {
    if (!store.isAwaited) {
      await store.transaction(async (tx) => {
        // It gives back a page for each step of the statement, and without columns there is only one step.
        for (let page = 0; page < PAGES_AT_ONCE; page += 1)
          await sql`PRAGMA incremental_vacuum(1)`.execute(tx);
      });
      const { free } = await freePages(db);
      // A file that was made without the means for it, or that fills again as fast.
      if (free >= left) break;
      left = free;
    }
    await pause(BETWEEN_MS);
  }
  return first.free - left;
}

async function freePages(db: Kysely<unknown>): Promise<{ free: number; all: number }> {
  const { rows } = await sql<{ free: number; all: number }>`
    SELECT freelist_count AS free, page_count AS "all" FROM pragma_freelist_count, pragma_page_count`.execute(
    db,
  );
  return rows[0] ?? { free: 0, all: 0 };
}
