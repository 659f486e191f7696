import type { Db } from '../sessions/records.ts';
import type { Task } from '../unattended/task.ts';

/** Between two runs of a watch. */
export const COOLDOWN_MS = 10 * 60_000;
/** Runs of a watch in 24 hours. */
export const MOST_A_DAY = 20;
const DAY_US = 24 * 3_600_000_000;

/** Why a watch sets nothing off just now, and until when. */
export interface Rest {
  readonly why: 'just_fired' | 'fired_often';
  readonly untilUs: number;
}

/** Null when the watch is ready. */
export async function restOf(
  db: Db,
  { id, markUs }: Pick<Task, 'id' | 'markUs'>,
  nowUs: number,
): Promise<Rest | null> {
  // The run whose day has to be over before there is room for another.
  const oldest = await db
    .selectFrom('threads_fires')
    .select('due_us')
    .where('task_id', '=', id)
    .where('session_id', 'is not', null)
    .orderBy('due_us', 'desc')
    .limit(1)
    .offset(MOST_A_DAY - 1)
    .executeTakeFirst();
  const roomUs = oldest === undefined ? 0 : Number(oldest.due_us) + DAY_US;
  const cooledUs = markUs + COOLDOWN_MS * 1_000;
  if (Math.max(roomUs, cooledUs) <= nowUs) return null;
  return roomUs > cooledUs
    ? { why: 'fired_often', untilUs: roomUs }
    : { why: 'just_fired', untilUs: cooledUs };
}
