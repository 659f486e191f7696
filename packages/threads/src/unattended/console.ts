import { problem } from '@postern/http';
import { nowMilliseconds } from '@postern/kit';
import type { ThreadsPorts } from '../ports.ts';
import { restOf } from '../watches/rest.ts';
import type { TaskKind } from './task.ts';
import { type TaskShape, taskShape } from './task-shape.ts';
import { deleteTask, enableTask, firesOf, recordAct, type TaskAct, taskById, tasksOf } from './tasks.ts';

/** Standing tasks as operators see them; they are on record, so it does not matter which process is asked. */
export interface ConsoleTasks {
  list(kind: TaskKind): Promise<TaskShape[]>;
  /** @throws Failure `not_found` */
  act(taskId: string, act: Exclude<TaskAct, 'run'>, operator: string): Promise<void>;
}

const RUNS_SHOWN = 10;

export function consoleTasks({
  store,
  clock,
  audit,
}: Pick<ThreadsPorts, 'store' | 'clock' | 'audit'>): ConsoleTasks {
  return {
    async list(kind) {
      const tasks = await tasksOf(store.db, kind);
      return Promise.all(
        tasks.map(async (task) => {
          const isAwake = task.kind === 'routine' || !task.isEnabled;
          return taskShape(task, {
            fires: await firesOf(store.db, task.id, RUNS_SHOWN),
            rest: isAwake ? null : await restOf(store.db, task, clock.nowMicroseconds()),
            nowMs: nowMilliseconds(clock),
          });
        }),
      );
    },
    async act(taskId, act, operator) {
      const task = await taskById(store.db, taskId);
      const isDone =
        act === 'delete'
          ? await deleteTask(store, taskId)
          : await enableTask(store, taskId, act === 'resume', clock.nowMicroseconds());
      if (task === null || !isDone) throw problem('not_found', `No routine or watch ${taskId} exists.`);
      await recordAct(audit, task, act, { id: `console:${operator}`, name: operator });
    },
  };
}
