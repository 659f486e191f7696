import { PlatformError, type Post } from '../platforms/platform.ts';
import { hostZone } from '../routines/schedule.ts';
import { routineScheduler } from '../routines/scheduler.ts';
import { sessionById } from '../sessions/records.ts';
import type { Actor } from '../sessions/session.ts';
import type { FireTable } from '../tables.ts';
import { type Rest, restOf } from '../watches/rest.ts';
import { createWatcher } from '../watches/watcher.ts';
import { settleSession } from './begin.ts';
import { claimFire, type EndedFire, fireById } from './fires.ts';
import { settleLeftRuns } from './left-runs.ts';
import { createProposals, type Proposal } from './proposals.ts';
import { draftFromProse } from './prose.ts';
import type { TaskSurroundings } from './surroundings.ts';
import { tellLeftSwitchedOff } from './switched-off.ts';
import { type DraftReading, readDraft, type Task, type TaskKind } from './task.ts';
import { deleteTask, enableTask, firesOf, recordAct, TASKS_CHANNEL, type TaskAct, tasksOf } from './tasks.ts';

/** Standing tasks of one platform, as commands, tools and its room use them. */
export interface TaskDesk {
  /** Why there are none of a kind, or none can be made or run, in a sentence; null when all is well. */
  whyNot(kind: TaskKind, what: 'list' | 'make' | 'run'): string | null;
  read(kind: TaskKind, value: unknown): DraftReading;
  fromProse(kind: TaskKind, prose: string): Promise<DraftReading>;
  /** Shows a draft to people, who alone save it. Why it could not be shown, or null. */
  propose(proposal: Proposal): Promise<string | null>;
  list(kind: TaskKind): Promise<Task[]>;
  /** Why a watch sets nothing off just now; null when it is ready, and of a routine. */
  rest(task: Task): Promise<Rest | null>;
  /** Its last run that had a session, or null. */
  lastRun(taskId: string): Promise<FireTable | null>;
  /** False when it is gone already. */
  enable(task: Task, isEnabled: boolean, by: Actor): Promise<boolean>;
  delete(task: Task, by: Actor): Promise<boolean>;
  /** Has a routine run now, by the wish of somebody. `waits`: it begins within its window, or is left out. */
  runNow(task: Task, by: Actor): Promise<RunNow>;
}

export type RunNow =
  /** With a link to the thread where the platform has such. */
  { readonly kind: 'begun'; readonly permalink: string | null } | { readonly kind: 'waits' | 'failed' };

export interface RunningTaskDesk extends TaskDesk {
  /** Takes up what an earlier process left, and looks at the clock from then on. */
  begin(): Promise<void>;
  /** A message of people that is for no session. */
  see(post: Post): Promise<void>;
  /** An unattended session is through with its task, or will not be. */
  settle(sessionId: string, outcome: EndedFire): Promise<void>;
}

const LOOKED_AT = 20;

export function createTaskDesk(at: TaskSurroundings): RunningTaskDesk {
  const { ports, platform, behaviour } = at;
  const { store, clock } = ports;
  const proposals = createProposals(at);
  const scheduler = routineScheduler(at);
  const watcher = createWatcher(at);
  const isDirect = behaviour.directChannelMode.enabled;
  const isOn = (kind: TaskKind) => (kind === 'routine' ? behaviour.routines : behaviour.watches);
  const nowUs = () => clock.nowMicroseconds();

  async function acted(work: Promise<boolean>, task: Task, act: TaskAct, by: Actor): Promise<boolean> {
    const isDone = await work;
    if (isDone) await recordAct(ports.audit, task, act, by);
    return isDone;
  }

  return {
    whyNot(kind, what) {
      const many = kind === 'routine' ? 'Routines' : 'Watches';
      if (!isOn(kind)) return `${many} are off here. An operator can turn them on in the configuration.`;
      if (what === 'make' && isDirect) {
        return `${many} are made in threads; where the whole channel is one session there are no new ones.`;
      }
      if (what === 'run' && isDirect) return `${many} do not run where the whole channel is one session.`;
      return null;
    },
    read: (kind, value) => readDraft(kind, value, hostZone()),
    fromProse: (kind, prose) => draftFromProse(at, kind, prose, hostZone()),
    async propose(proposal) {
      try {
        await proposals.propose(proposal);
        return null;
      } catch (error) {
        if (error instanceof PlatformError) return error.message;
        throw error;
      }
    },
    list: (kind) => tasksOf(store.db, kind, platform.id),
    rest: async (task) => (task.kind === 'watch' ? restOf(store.db, task, nowUs()) : null),
    async lastRun(taskId) {
      const fires = await firesOf(store.db, taskId, LOOKED_AT);
      return fires.find(({ session_id }) => session_id !== null) ?? null;
    },
    enable: (task, isEnabled, by) =>
      acted(enableTask(store, task.id, isEnabled, nowUs()), task, isEnabled ? 'resume' : 'pause', by),
    delete: (task, by) => acted(deleteTask(store, task.id), task, 'delete', by),
    async runNow(task, by) {
      const fireId = ports.newId('fir');
      await claimFire(store.db, {
        fire_id: fireId,
        unique_key: `routine:${task.id}:${fireId}`,
        platform_id: platform.id,
        channel_id: platform.channelId,
        task_id: task.id,
        state: 'due',
        // For whom it runs stands beside it.
        detail: by.id === task.creator.id ? 'started by hand' : `started by ${by.name}`,
        due_us: nowUs(),
      });
      await recordAct(ports.audit, task, 'run', by);
      store.notify(TASKS_CHANNEL, task.id);
      await scheduler.tick();
      const fire = await fireById(store.db, fireId);
      if (fire?.state === 'due') return { kind: 'waits' };
      const session = fire?.session_id ? await sessionById(store.db, fire.session_id) : null;
      if (session === null) return { kind: 'failed' };
      const { channel_id: channelId, thread_id: postId } = session;
      return { kind: 'begun', permalink: platform.permalink({ channelId, postId }) };
    },
    async begin() {
      try {
        await proposals.recover();
        await watcher.endInterrupted();
        await tellLeftSwitchedOff(at);
        await settleLeftRuns(at);
      } catch (error) {
        ports.log.error(
          { err: error, platform: platform.id },
          'standing tasks of before could not be looked at',
        );
      }
      if (isOn('routine') && !isDirect) await scheduler.run();
    },
    async see(post) {
      if (isOn('watch') && !isDirect) await watcher.see(post);
    },
    settle: (sessionId, outcome) => settleSession(at, sessionId, outcome),
  };
}
