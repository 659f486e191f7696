import { PlatformError } from '../platforms/platform.ts';
import type { Db } from '../sessions/records.ts';
import { typedWith } from '../typed.ts';
import type { TaskSurroundings } from './surroundings.ts';
import type { Task } from './task.ts';
import { taskOf } from './task.ts';
import { tell } from './tell.ts';
import { nameOf } from './texts.ts';

/**
 * That runs which failed have switched a task off is told in its channel. It is on record with the switching itself
 * until then, so that neither a platform that is away nor a process that goes keeps it from people.
 */

/** So often, and with such pauses, it is tried while the platform is away; then it is left to the next start. */
const TELLINGS = 100;
export const TELL_AGAIN_MS = 30_000;

/** Resolves when it is told, or goes on trying by itself. */
export async function tellSwitchedOff(at: TaskSurroundings, task: Task, fireId: string): Promise<void> {
  await at.ports.audit.record(at.platform.id, {
    action: task.kind,
    channelId: task.channelId,
    actor: 'system',
    details: { event: 'switched_off', task: task.id, name: task.name },
  });
  if (await isTold(at, task, fireId)) return;
  at.start('people could not be told that a task is switched off', tellLater(at, task, fireId));
}

/** Tells of what an earlier process did not come to tell of. */
export async function tellLeftSwitchedOff(at: TaskSurroundings): Promise<void> {
  const rows = await at.ports.store.db
    .selectFrom('threads_tasks')
    .selectAll()
    .where('platform_id', '=', at.platform.id)
    .where('off_fire_id', 'is not', null)
    .execute();
  for (const row of rows) {
    if (row.off_fire_id !== null) await tellSwitchedOff(at, taskOf(row), row.off_fire_id);
  }
}

async function tellLater(at: TaskSurroundings, task: Task, fireId: string): Promise<void> {
  for (let left = TELLINGS; left > 0; left -= 1) {
    await at.ports.clock.sleep(TELL_AGAIN_MS, at.signal);
    if (at.signal.aborted || (await isTold(at, task, fireId))) return;
  }
}

/** False while the platform is away. */
async function isTold(at: TaskSurroundings, task: Task, fireId: string): Promise<boolean> {
  const { db } = at.ports.store;
  // Somebody has seen it before, and switched it on again or deleted it.
  if (!(await isNews(db, task.id, fireId))) return true;
  const self = await at.people.self().catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    return null;
  });
  if (self === null) return false;
  const resume = typedWith(self.name)(`${task.kind === 'routine' ? 'routines' : 'watches'} resume <number>`);
  const news = `⛔ The ${task.kind} ${nameOf(task)} is switched off, since it failed three times in a row. ${resume} switches it on again.`;
  if (!(await tell(at, news, `${fireId}:off`))) return false;
  await db
    .updateTable('threads_tasks')
    .set({ off_fire_id: null })
    .where('task_id', '=', task.id)
    .where('off_fire_id', '=', fireId)
    .execute();
  return true;
}

async function isNews(db: Db, taskId: string, fireId: string): Promise<boolean> {
  const row = await db
    .selectFrom('threads_tasks')
    .select('task_id')
    .where('task_id', '=', taskId)
    .where('off_fire_id', '=', fireId)
    .executeTakeFirst();
  return row !== undefined;
}
