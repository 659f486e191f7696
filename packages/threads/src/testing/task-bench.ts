import { silentLog } from '@postern/http';
import { idGenerator } from '@postern/kit';
import { type FakeClock, fakeClock, seededRandom } from '@postern/kit/testing';
import type { Engine, Store } from '@postern/store';
import { defaultLimits, type PlatformConfig, type ThreadsConfig } from '../config.ts';
import { routineScheduler, type Scheduler } from '../routines/scheduler.ts';
import { createSlots } from '../sessions/slots.ts';
import type { SessionTable, ThreadsTables } from '../tables.ts';
import { settleSession } from '../unattended/begin.ts';
import type { TaskSurroundings } from '../unattended/surroundings.ts';
import type { Task, TaskDraft } from '../unattended/task.ts';
import { saveTask } from '../unattended/tasks.ts';
import { createWatcher, type Watcher } from '../watches/watcher.ts';
import { type FakeAgent, fakeAgent } from './fake-agent.ts';
import { type FakePlatform, fakePlatform, OWNER } from './fake-platform.ts';
import { type MemoryAudit, memoryAudit } from './memory-audit.ts';
import { threadsStore } from './store.ts';

/** Standing tasks on a platform in memory, whose sessions are only begun and never run. */
export interface TaskBench {
  readonly store: Store<ThreadsTables>;
  readonly clock: FakeClock;
  readonly platform: FakePlatform;
  readonly agent: FakeAgent;
  readonly audit: MemoryAudit;
  /** Ids of people on the list. */
  readonly allowed: Set<string>;
  /** Sessions in the order in which they were begun, by all processes. */
  readonly begun: SessionTable[];
  /** Work that goes on by itself has come to its end. */
  settled(): Promise<void>;
  save(draft: TaskDraft): Promise<Task>;
  /** A process on a connection of its own. */
  process(): Promise<TaskProcess>;
  fires(): Promise<{ state: string; outcome: string | null; count: number; session_id: string | null }[]>;
  sessionEnds(index: number, outcome: 'succeeded' | 'failed' | 'stopped'): Promise<void>;
  /** What the bot has posted in the channel itself. */
  said(): string[];
}

export interface TaskProcess {
  readonly at: TaskSurroundings;
  readonly scheduler: Scheduler;
  readonly watcher: Watcher;
}

export async function taskBench(engine: Engine, maxSessions = 100): Promise<TaskBench> {
  const clock = fakeClock();
  const fresh = await threadsStore(engine);
  const platform = fakePlatform();
  const agent = fakeAgent();
  const audit = memoryAudit();
  const allowed = new Set([OWNER.id]);
  const begun: SessionTable[] = [];
  const work = new Set<Promise<unknown>>();
  let seed = 1;

  function surroundings(store: Store<ThreadsTables>): TaskSurroundings {
    seed += 1;
    const random = seededRandom(seed);
    const ports = { store, clock, random, log: silentLog, agent, audit, agentDir: '/none' };
    return {
      ports: { ...ports, newId: idGenerator({ clock, random }), dataDir: '/none', deniedPaths: [] },
      config: {
        workingDir: '/work',
        worktreeMode: 'off',
        claudeAccounts: [],
        limits: { ...defaultLimits, maxSessions },
      } as unknown as ThreadsConfig,
      behaviour: {
        permissionMode: 'default',
        routines: true,
        watches: true,
        directChannelMode: { enabled: false, respondTo: 'mention' },
      } as PlatformConfig,
      platform,
      questions: undefined as never,
      people: { isAllowed: (personId) => allowed.has(personId), self: platform.self },
      ready: async () => {},
      slots: createSlots(maxSessions),
      signal: new AbortController().signal,
      live(session) {
        begun.push(session);
        return { wake() {} } as ReturnType<TaskSurroundings['live']>;
      },
      start(_what, task) {
        work.add(task);
        void task.finally(() => work.delete(task));
      },
      isShut: () => false,
    };
  }

  const own = surroundings(fresh.store);
  return {
    store: fresh.store,
    clock,
    platform,
    agent,
    audit,
    allowed,
    begun,
    async settled() {
      while (work.size > 0) await Promise.all([...work]);
    },
    async save(draft) {
      const task = await fresh.store.transaction((tx) =>
        saveTask(
          tx,
          draft,
          {
            task_id: own.ports.newId('tsk'),
            platform_id: platform.id,
            channel_id: platform.channelId,
            created_by: OWNER.id,
            creator_name: OWNER.name,
            created_us: clock.nowMicroseconds(),
          },
          100,
        ),
      );
      if (task === null) throw new Error('there is room');
      return task;
    },
    async process() {
      const at = surroundings(engine === 'postgres' ? await fresh.again() : fresh.store);
      return { at, scheduler: routineScheduler(at), watcher: createWatcher(at) };
    },
    fires: () =>
      fresh.store.db
        .selectFrom('threads_fires')
        .select(['state', 'outcome', 'count', 'session_id'])
        .orderBy('due_us')
        .execute(),
    async sessionEnds(index, outcome) {
      await settleSession(own, begun[index]?.session_id ?? '', outcome);
    },
    said: () => platform.posts.map(({ text }) => text),
  };
}
