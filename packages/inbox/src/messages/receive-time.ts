import type { Clock } from '@postern/kit';
import { sql } from 'kysely';
import type { InboxTransaction } from '../ports.ts';

/**
 * Takes the next receive time: microseconds, unique, and later than every one given before, also when the
 * clock stands still or goes back. The row stays locked until the transaction ends, so times are committed
 * in their order and a reader who has seen one never meets an earlier one afterwards.
 */
export async function nextReceiveTime(tx: InboxTransaction, clock: Clock): Promise<number> {
  const now = clock.nowMicroseconds();
  const row = await tx
    .updateTable('inbox_clock')
    .set({ last_us: sql<number>`CASE WHEN last_us < ${now} THEN ${now} ELSE last_us + 1 END` })
    .where('id', '=', 1)
    .returning('last_us')
    .executeTakeFirstOrThrow();
  return row.last_us;
}

/** Waits for every receive time given so far to be committed, and answers the last. */
export async function lastReceiveTime(tx: InboxTransaction): Promise<number> {
  const row = await tx
    .updateTable('inbox_clock')
    .set({ last_us: sql<number>`last_us` })
    .where('id', '=', 1)
    .returning('last_us')
    .executeTakeFirstOrThrow();
  return row.last_us;
}
