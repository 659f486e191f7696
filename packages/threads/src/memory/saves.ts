import type { Db } from '../sessions/records.ts';
import { MOST_AGENT_SAVES } from './entry.ts';

/** How much an agent has saved in a session, over restarts too. Called within the channel's lock. */

export async function savesLeft(db: Db, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom('threads_memory_saves')
    .select('saves')
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return Math.max(0, MOST_AGENT_SAVES - (row?.saves ?? 0));
}

/** @param change 1 for a save, -1 for one that is taken back. */
export async function countSave(db: Db, sessionId: string, change: 1 | -1): Promise<void> {
  await db
    .insertInto('threads_memory_saves')
    .values({ session_id: sessionId, saves: Math.max(0, change) })
    .onConflict((conflict) =>
      conflict
        .column('session_id')
        .doUpdateSet((row) => ({ saves: row('threads_memory_saves.saves', '+', change) })),
    )
    .execute();
}
