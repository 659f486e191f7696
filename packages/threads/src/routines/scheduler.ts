import { inLine } from '../questions/shown-input.ts';
import type { FireTable } from '../tables.ts';
import { beginUnattended } from '../unattended/begin.ts';
import { claimFire, moveFire } from '../unattended/fires.ts';
import type { TaskSurroundings } from '../unattended/surroundings.ts';
import { occasionOf, type Task } from '../unattended/task.ts';
import { TASKS_CHANNEL, taskById, tasksOf } from '../unattended/tasks.ts';
import { tell } from '../unattended/tell.ts';
import { nameOf } from '../unattended/texts.ts';
import { latestRun, runsBetween, wallClock } from './schedule.ts';

/** How often the clock is looked at. */
export const TICK_MS = 15_000;
/** A run that could not begin for so long is left out. */
export const WINDOW_MS = 5 * 60_000;
/** So many missed runs are counted. */
const MOST_COUNTED = 1_000;

export interface Scheduler {
  /** Runs what is due, until the signal of the surroundings aborts. */
  run(): Promise<void>;
  /** One look at the clock. */
  tick(): Promise<void>;
}

/**
 * A run is claimed by a row whose key is the routine and its moment, so that of any number of processes and starts
 * one runs it; a claimed run whose session was not begun is begun by the next look, within its window.
 */
export function routineScheduler(at: TaskSurroundings): Scheduler {
  const { ports, platform } = at;
  const { store, clock, log } = ports;
  const nowMs = () => Math.floor(clock.nowMicroseconds() / 1_000);

  /** Puts on record what has become due since the last look: the latest run, and those before it as missed. */
  async function claim(task: Extract<Task, { kind: 'routine' }>): Promise<void> {
    const now = nowMs();
    const markMs = Math.floor(task.markUs / 1_000);
    const latest = latestRun(task.schedule, now);
    if (!(latest > markMs)) return;
    const isInTime = now - latest <= WINDOW_MS;
    const lastMissed = isInTime ? latestRun(task.schedule, latest - 1) : latest;
    const missed = runsBetween(task.schedule, markMs, lastMissed, MOST_COUNTED).length;
    await store.transaction(async (tx) => {
      const moved = await tx
        .updateTable('threads_tasks')
        .set({ mark_us: latest * 1_000 })
        .where('task_id', '=', task.id)
        .where('mark_us', '=', task.markUs)
        .where('is_enabled', '=', 1)
        .executeTakeFirst();
      if (Number(moved.numUpdatedRows) === 0) return;
      if (missed > 0) await claimFire(tx, fireOf(task, lastMissed, 'missed', missed));
      if (isInTime) await claimFire(tx, fireOf(task, latest, 'due', 1));
    });
    store.notify(TASKS_CHANNEL, task.id);
  }

  function fireOf(task: Task, dueMs: number, state: 'due' | 'missed', count: number) {
    return {
      fire_id: ports.newId('fir'),
      unique_key: `routine:${task.id}:${dueMs}`,
      platform_id: platform.id,
      channel_id: task.channelId,
      task_id: task.id,
      state,
      count,
      due_us: dueMs * 1_000,
    };
  }

  function openFires(): Promise<FireTable[]> {
    return store.db
      .selectFrom('threads_fires')
      .selectAll()
      .where('platform_id', '=', platform.id)
      .where('state', 'in', ['due', 'missed'])
      .where('unique_key', 'like', 'routine:%')
      .orderBy('fire_id')
      .execute();
  }

  /** Begins a run that is due, or leaves it for the next look; once its window is over it is left out. */
  async function begin(fire: FireTable): Promise<void> {
    const task = fire.task_id === null ? null : await taskById(store.db, fire.task_id);
    if (task === null) {
      // It was deleted while somebody had it run.
      await moveFire(store.db, fire.fire_id, ['due'], { state: 'done', outcome: 'stopped' });
      return;
    }
    const isByHand = fire.detail !== null;
    if (!task.isEnabled && !isByHand) {
      await moveFire(store.db, fire.fire_id, ['due'], {
        state: 'done',
        outcome: 'stopped',
        detail: 'paused before it could begin',
        ended_us: clock.nowMicroseconds(),
      });
      return;
    }
    if (clock.nowMicroseconds() - fire.due_us <= WINDOW_MS * 1_000) {
      const occasion = inLine(fire.detail ?? occasionOf(task));
      await beginUnattended(at, task, fire, { prompt: task.prompt, occasion });
      return;
    }
    await moveFire(store.db, fire.fire_id, ['due'], {
      state: 'missed',
      detail: 'there was no place for it, or the platform was away',
    });
  }

  /** Says in the channel what was left out, all of it in one post; at the next look, should it not be taken now. */
  async function tellMissed(fires: readonly FireTable[]): Promise<void> {
    const lines: string[] = [];
    for (const fire of fires) {
      const task = fire.task_id === null ? null : await taskById(store.db, fire.task_id);
      if (task?.kind !== 'routine') continue;
      const zone = task.fault === null ? task.schedule.timezone : 'UTC';
      const when = wallClock(Math.floor(fire.due_us / 1_000), zone);
      const more =
        fire.count > 1
          ? `${fire.count === MOST_COUNTED ? `${fire.count} or more` : fire.count} runs, the last of them `
          : '';
      const why = fire.detail === null ? 'I was not running then' : fire.detail;
      lines.push(`- ${nameOf(task)}: ${more}${when} (${zone}); ${why}`);
    }
    if (lines.length > 0) {
      const news = `⏭️ These runs of routines were left out:\n${lines.join('\n')}`;
      if (!(await tell(at, news, `missed:${fires.at(-1)?.fire_id}`))) return;
    }
    for (const fire of fires) {
      await moveFire(store.db, fire.fire_id, ['missed'], {
        state: 'done',
        outcome: 'missed',
        ended_us: clock.nowMicroseconds(),
      });
    }
  }

  /** What goes wrong with one routine is logged, and keeps no other from its time. */
  async function alone(task: string | null, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!at.signal.aborted)
        log.error({ err: error, platform: platform.id, task }, 'a routine could not be run');
    }
  }

  async function look(): Promise<void> {
    if (at.isShut()) return;
    for (const task of await tasksOf(store.db, 'routine', platform.id)) {
      if (task.kind === 'routine' && task.isEnabled && task.fault === null)
        await alone(task.id, () => claim(task));
    }
    for (const fire of await openFires()) {
      if (at.signal.aborted) return;
      if (fire.state === 'due') await alone(fire.task_id, () => begin(fire));
    }
    const missed = (await openFires()).filter(({ state }) => state === 'missed');
    if (missed.length > 0 && !at.signal.aborted) await tellMissed(missed);
  }

  let looking: Promise<unknown> = Promise.resolve();

  /** One after the other, so that no run is begun twice at the same time. */
  function tick(): Promise<void> {
    const next = looking.then(look, look);
    looking = next.catch(() => undefined);
    return next;
  }

  return {
    tick,
    async run() {
      while (!at.signal.aborted) {
        try {
          await tick();
        } catch (error) {
          if (!at.signal.aborted)
            log.error({ err: error, platform: platform.id }, 'routines could not be looked at');
        }
        await clock.sleep(TICK_MS, at.signal);
      }
    },
  };
}
