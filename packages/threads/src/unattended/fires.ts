import type { Store } from '@postern/store';
import type { Db } from '../sessions/records.ts';
import type { FireOutcome, FireTable, ThreadsTables } from '../tables.ts';
import type { Task } from './task.ts';
import { TASKS_CHANNEL, taskById } from './tasks.ts';

/** So many runs in a row that fail switch a task off. */
export const MOST_FAILURES = 3;

/** Puts a run on record; false when its key is there already, so that it is another's or was before. */
export async function claimFire(
  db: Db,
  fire: Pick<
    FireTable,
    'fire_id' | 'unique_key' | 'platform_id' | 'channel_id' | 'task_id' | 'state' | 'due_us'
  > &
    Partial<Pick<FireTable, 'count' | 'detail'>>,
): Promise<boolean> {
  const added = await db
    .insertInto('threads_fires')
    .values({ outcome: null, detail: null, count: 1, session_id: null, ended_us: null, ...fire })
    .onConflict((conflict) => conflict.column('unique_key').doNothing())
    .executeTakeFirst();
  return Number(added.numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function fireById(db: Db, fireId: string): Promise<FireTable | null> {
  const row = await db
    .selectFrom('threads_fires')
    .selectAll()
    .where('fire_id', '=', fireId)
    .executeTakeFirst();
  return row ?? null;
}

/** Moves a run on; false when it is no longer where it may come from. */
export async function moveFire(
  db: Db,
  fireId: string,
  from: readonly FireTable['state'][],
  changes: Partial<Pick<FireTable, 'state' | 'outcome' | 'detail' | 'task_id' | 'session_id' | 'ended_us'>>,
): Promise<boolean> {
  const moved = await db
    .updateTable('threads_fires')
    .set(changes)
    .where('fire_id', '=', fireId)
    .where('state', 'in', from)
    .executeTakeFirst();
  return Number(moved.numUpdatedRows) > 0;
}

export type EndedFire = Extract<FireOutcome, 'succeeded' | 'failed' | 'stopped'>;

/**
 * A run is over, once. Failures in a row are counted, and the last one switches the task off: then, and for nothing
 * else, the task is given back with the run, so that its channel can be told.
 */
export async function settleFire(
  store: Store<ThreadsTables>,
  which: { readonly fireId: string } | { readonly sessionId: string },
  outcome: EndedFire,
  { detail, nowUs }: { readonly detail: string | null; readonly nowUs: number },
): Promise<{ readonly task: Task; readonly fireId: string } | null> {
  const settled = await store.transaction(async (tx) => {
    let query = tx.selectFrom('threads_fires').selectAll().where('state', 'in', ['due', 'running']);
    query =
      'fireId' in which
        ? query.where('fire_id', '=', which.fireId)
        : query.where('session_id', '=', which.sessionId);
    const fire = await query.executeTakeFirst();
    if (fire === undefined) return null;
    const changes = { state: 'done', outcome, detail, ended_us: nowUs } as const;
    if (!(await moveFire(tx, fire.fire_id, ['due', 'running'], changes))) return null;
    const task = fire.task_id === null ? null : await taskById(tx, fire.task_id);
    if (task === null || outcome === 'stopped') return { task, off: null };
    const failures = outcome === 'failed' ? task.failures + 1 : 0;
    const isOff = failures >= MOST_FAILURES && task.isEnabled;
    await tx
      .updateTable('threads_tasks')
      .set({
        failures,
        ...(isOff
          ? { is_enabled: 0, disabled_reason: `${failures} runs in a row failed`, off_fire_id: fire.fire_id }
          : {}),
      })
      .where('task_id', '=', task.id)
      .execute();
    return { task, off: isOff ? { task, fireId: fire.fire_id } : null };
  });
  if (settled?.task) store.notify(TASKS_CHANNEL, settled.task.id);
  return settled?.off ?? null;
}
