import { isOwnMessage } from '../sessions/messages.ts';
import { sessionById } from '../sessions/records.ts';
import type { FireTable } from '../tables.ts';
import { settleSession } from './begin.ts';
import type { EndedFire } from './fires.ts';
import type { TaskSurroundings } from './surroundings.ts';

/**
 * Settles the runs whose task was over before an earlier process could put that on record, so that none is under
 * way for ever and none that failed goes uncounted. What is still to be done settles by itself.
 */
export async function settleLeftRuns(at: TaskSurroundings): Promise<void> {
  const { store } = at.ports;
  const running = await store.db
    .selectFrom('threads_fires')
    .selectAll()
    .where('platform_id', '=', at.platform.id)
    .where('state', '=', 'running')
    .execute();
  for (const fire of running) {
    const outcome = await outcomeOf(at, fire);
    if (outcome !== null && fire.session_id !== null) await settleSession(at, fire.session_id, outcome);
  }
}

/** By what became of the first message, which is the task itself; null while it is still to be done. */
async function outcomeOf({ ports }: TaskSurroundings, { session_id }: FireTable): Promise<EndedFire | null> {
  const { db } = ports.store;
  const session = session_id === null ? null : await sessionById(db, session_id);
  if (session === null) return 'stopped';
  const messages = await db
    .selectFrom('threads_messages')
    .selectAll()
    .where('session_id', '=', session.session_id)
    .orderBy('position')
    .execute();
  const task = messages.find(isOwnMessage);
  if (task?.outcome === 'failed') return 'failed';
  if (task?.outcome === 'answered' && session.state !== 'interrupted') return 'succeeded';
  return task === undefined || task.state === 'done' || session.state === 'ended' ? 'stopped' : null;
}
