import { type Store, serialise, type Transaction } from '@postern/store';
import type { Audit } from '../audit/audit.ts';
import type { Db } from '../sessions/records.ts';
import type { FireTable, TaskTable, ThreadsTables } from '../tables.ts';
import { specOf, type Task, type TaskDraft, type TaskKind, taskOf } from './task.ts';

/** Standing tasks on record. */

/** Store notification: a standing task or one of its runs has changed; the payload is the task's id. */
export const TASKS_CHANNEL = 'threads_tasks';

export async function tasksOf(db: Db, kind: TaskKind, platformId?: string): Promise<Task[]> {
  let query = db.selectFrom('threads_tasks').selectAll().where('kind', '=', kind);
  if (platformId !== undefined) query = query.where('platform_id', '=', platformId);
  return (await query.orderBy('task_id').execute()).map(taskOf);
}

export async function taskById(db: Db, taskId: string): Promise<Task | null> {
  const row = await db
    .selectFrom('threads_tasks')
    .selectAll()
    .where('task_id', '=', taskId)
    .executeTakeFirst();
  return row === undefined ? null : taskOf(row);
}

/** Saves a task unless the platform has as many of its kind as it may; null then. */
export async function saveTask(
  tx: Transaction<ThreadsTables>,
  draft: TaskDraft,
  more: Pick<
    TaskTable,
    'task_id' | 'platform_id' | 'channel_id' | 'created_by' | 'creator_name' | 'created_us'
  >,
  limit: number,
): Promise<Task | null> {
  await serialise(tx, `threads_tasks:${more.platform_id}:${draft.kind}`);
  const { count } = await tx
    .selectFrom('threads_tasks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('platform_id', '=', more.platform_id)
    .where('kind', '=', draft.kind)
    .executeTakeFirstOrThrow();
  if (Number(count) >= limit) return null;
  const row: TaskTable = {
    ...more,
    kind: draft.kind,
    name: draft.name,
    prompt: draft.prompt,
    spec_json: specOf(draft),
    is_enabled: 1,
    disabled_reason: null,
    off_fire_id: null,
    failures: 0,
    mark_us: draft.kind === 'routine' ? more.created_us : 0,
  };
  await tx.insertInto('threads_tasks').values(row).execute();
  return taskOf(row);
}

/** Pauses a task or lets it go on; what lies between is not made up for. False when there is no such task. */
export async function enableTask(
  store: Store<ThreadsTables>,
  taskId: string,
  isEnabled: boolean,
  nowUs: number,
): Promise<boolean> {
  const isDone = await store.transaction(async (tx) => {
    const task = await taskById(tx, taskId);
    if (task === null) return false;
    if (task.isEnabled === isEnabled) return true;
    await tx
      .updateTable('threads_tasks')
      .set({
        is_enabled: isEnabled ? 1 : 0,
        ...(isEnabled ? { failures: 0, disabled_reason: null, off_fire_id: null } : {}),
        ...(isEnabled && task.kind === 'routine' ? { mark_us: nowUs } : {}),
      })
      .where('task_id', '=', taskId)
      .execute();
    return true;
  });
  store.notify(TASKS_CHANNEL, taskId);
  return isDone;
}

/** Deletes a task with its runs; their sessions go on. False when there is no such task. */
export async function deleteTask(store: Store<ThreadsTables>, taskId: string): Promise<boolean> {
  const isDone = await store.transaction(async (tx) => {
    await tx.deleteFrom('threads_fires').where('task_id', '=', taskId).execute();
    const gone = await tx.deleteFrom('threads_tasks').where('task_id', '=', taskId).executeTakeFirst();
    return Number(gone.numDeletedRows) > 0;
  });
  store.notify(TASKS_CHANNEL, taskId);
  return isDone;
}

export type TaskAct = 'pause' | 'resume' | 'delete' | 'run';

/** What somebody has done to a task goes on record in one form, in chat and in the console. */
export function recordAct(
  audit: Audit,
  task: Task,
  act: TaskAct,
  by: { readonly id: string; readonly name: string },
): Promise<void> {
  return audit.record(task.platformId, {
    action: task.kind,
    channelId: task.channelId,
    actor: by.id,
    actorName: by.name,
    details: { event: act, task: task.id, name: task.name },
  });
}

/** Runs of a task, newest first. */
export function firesOf(db: Db, taskId: string, limit: number): Promise<FireTable[]> {
  return db
    .selectFrom('threads_fires')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('due_us', 'desc')
    .orderBy('fire_id', 'desc')
    .limit(limit)
    .execute();
}
