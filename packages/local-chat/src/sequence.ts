import type { Clock } from '@postern/kit';
import { sql } from 'kysely';
import type { ChatTransaction } from './ports.ts';

export interface Moment {
  /** Strictly increasing over everything that happens in the chat. */
  readonly position: number;
  /** Microseconds since the epoch; never before an earlier moment, whatever the clock does. */
  readonly atMicroseconds: number;
}

/**
 * Takes the next moment. Every writing transaction does so before all else: the row it locks puts writers in
 * one order on PostgreSQL too, so that positions become visible in the order they were given, and no reader
 * with a cursor can run past one that is still to be committed. It also makes what follows free of races.
 */
export async function nextMoment(tx: ChatTransaction, clock: Clock): Promise<Moment> {
  const now = clock.nowMicroseconds();
  const row = await tx
    .updateTable('chat_sequence')
    .set({
      value: sql<number>`value + 1`,
      at_us: sql<number>`CASE WHEN at_us < ${now} THEN ${now} ELSE at_us END`,
    })
    .where('id', '=', 1)
    .returning(['value', 'at_us'])
    .executeTakeFirstOrThrow();
  return { position: row.value, atMicroseconds: row.at_us };
}
