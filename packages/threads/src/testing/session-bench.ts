import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http';
import { type Clock, idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { Engine, Store } from '@postern/store';
import { expect, onTestFinished } from 'vitest';
import { commandBook } from '../commands/book.ts';
import { type PlatformConfig, type ThreadsConfig, threadsConfigSchema, toThreadsConfig } from '../config.ts';
import type { Platform, Post } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { QuestionDesk } from '../questions/question.ts';
import { createQuestions } from '../questions/questions.ts';
import type { OutputOptions, SessionOutput } from '../sessions/joins.ts';
import { createSessionManager, type SessionManager } from '../sessions/manager.ts';
import type { MessageTable, SessionTable, ThreadsTables } from '../tables.ts';
import { type FakeAgent, fakeAgent } from './fake-agent.ts';
import { ALLOWED, BOT, type FakePlatform, fakePlatform, OWNER } from './fake-platform.ts';
import { type MemoryAudit, memoryAudit } from './memory-audit.ts';
import { threadsStore } from './store.ts';

/** Sessions on a platform in memory with an agent in memory; the store and the folders are real. */
export interface SessionBench {
  readonly platform: FakePlatform;
  readonly agent: FakeAgent;
  readonly audit: MemoryAudit;
  readonly config: ThreadsConfig;
  /** Of the test alone; `work` in it is where sessions work, `agents` what they may touch beside. */
  readonly folder: string;
  readonly store: Store<ThreadsTables>;
  readonly manager: SessionManager;
  readonly questions: QuestionDesk;
  /** One more process on the same store, as it would be on another machine. PostgreSQL only. */
  another(): Promise<SessionManager>;
  /** Ends the process in good order and starts another on the same store. */
  restart(): Promise<void>;
  /** The process is gone in the middle of whatever it does (as by kill -9), and another starts. */
  crash(): Promise<void>;
  /** The bot's posts of a thread, in order. */
  said(threadId: string): string[];
  /** Resolves once the bot has posted a text that contains this, in the thread if one is given. */
  hears(text: string, threadId?: string): Promise<Post>;
  /** Newest first. */
  sessions(): Promise<SessionTable[]>;
  /** What became of a post: its state, and its outcome once it is done. */
  fate(postId: string): Promise<string>;
}

export interface SessionBenchOptions {
  readonly threads?: object;
  readonly behaviour?: object;
  readonly platform?: FakePlatform;
  readonly clock?: Clock;
}

export const patience = { timeout: 10_000, interval: 5 };

interface Process {
  readonly store: Store<ThreadsTables>;
  readonly manager: SessionManager;
  readonly questions: QuestionDesk;
  readonly life: { isGone: boolean };
}

export async function sessionBench(engine: Engine, options: SessionBenchOptions = {}): Promise<SessionBench> {
  const { platform = fakePlatform(), clock = systemClock } = options;
  const fresh = await threadsStore(engine);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postern-sessions-')));
  await mkdir(join(folder, 'work'));
  const agent = fakeAgent();
  const audit = memoryAudit();
  const config = configOf(folder, platform.id, options);
  const [behaviour] = config.platforms;
  if (!behaviour) throw new Error('there is one platform');

  function begin(store: Store<ThreadsTables>): Process {
    const life = { isGone: false };
    const seen = seenByProcess(platform, life);
    const ports: ThreadsPorts = {
      store,
      clock,
      random: systemRandom,
      newId: idGenerator({ clock, random: systemRandom }),
      log: silentLog,
      agent,
      audit,
      dataDir: join(folder, 'data'),
      agentDir: join(folder, 'agents'),
      deniedPaths: [join(folder, 'data')],
    };
    const manager = createSessionManager({
      ports,
      config,
      platforms: [{ platform: seen, behaviour: behaviour as PlatformConfig }],
      joins: () => ({
        questions,
        commands: commandBook({ config, deniedPaths: ports.deniedPaths }),
        openOutput: plainOutput,
        bridge: { register: () => ({ socketPath: '/none', token: 'none' }), revoke: () => {} },
      }),
    });
    const questions = createQuestions({
      store,
      clock,
      newId: ports.newId,
      log: silentLog,
      audit,
      sessions: manager.actions,
      platform: (id) => (id === platform.id ? seen : null),
    });
    manager.start();
    return { store, manager, questions, life };
  }

  const untilConnected = () => expect.poll(() => platform.isRunning, patience).toBe(true);
  let current = begin(fresh.store);
  await untilConnected();
  onTestFinished(async () => {
    await current.manager.stop();
    current.questions.close();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    platform,
    agent,
    audit,
    config,
    folder,
    get store() {
      return current.store;
    },
    get manager() {
      return current.manager;
    },
    get questions() {
      return current.questions;
    },
    async another() {
      const next = begin(await fresh.again());
      onTestFinished(() => next.manager.stop());
      return next.manager;
    },
    async restart() {
      await current.manager.stop();
      current.questions.close();
      current = begin(current.store);
      await untilConnected();
    },
    async crash() {
      const { life, store, questions } = current;
      life.isGone = true;
      agent.vanish();
      questions.close();
      platform.hangUp();
      const next = await fresh.again();
      await store.close();
      current = begin(next);
      await untilConnected();
    },
    said: (threadId) =>
      platform.posts
        .filter((post) => post.author.id === BOT.id && post.threadId === threadId)
        .map(({ text }) => text),
    hears: (text, threadId) =>
      platform.botPost(
        (post) => post.text.includes(text) && (threadId === undefined || post.threadId === threadId),
      ),
    sessions: () =>
      current.store.db.selectFrom('threads_sessions').selectAll().orderBy('created_us', 'desc').execute(),
    async fate(postId) {
      const row: MessageTable | undefined = await current.store.db
        .selectFrom('threads_messages')
        .selectAll()
        .where('post_id', '=', postId)
        .executeTakeFirst();
      return row === undefined ? 'not recorded' : (row.outcome ?? row.state);
    },
  };
}

function configOf(folder: string, id: string, options: SessionBenchOptions): ThreadsConfig {
  const settings = threadsConfigSchema.parse({
    workingDir: join(folder, 'work'),
    ...options.threads,
    platforms: [
      {
        id,
        type: 'local',
        channelId: 'local:main',
        allowedUsers: [OWNER.id, ALLOWED.id],
        sessionHeader: 'hidden',
        ...options.behaviour,
      },
    ],
  });
  return toThreadsConfig(settings, { base: folder, home: folder });
}

/** The platform as one process sees it: once that is gone, nothing it asks is answered and nothing it does is done. */
function seenByProcess(platform: FakePlatform, life: { isGone: boolean }): Platform {
  return new Proxy<Platform>(platform, {
    get(target, name: keyof Platform) {
      const value = target[name];
      if (typeof value !== 'function' || !ASYNCHRONOUS.has(name)) return value;
      const call = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => (life.isGone ? new Promise(() => {}) : call.apply(target, args));
    },
  });
}

const ASYNCHRONOUS: ReadonlySet<keyof Platform> = new Set<keyof Platform>([
  'run',
  'self',
  'post',
  'edit',
  'delete',
  'react',
  'unreact',
  'pin',
  'typing',
  'upload',
  'download',
  'readPost',
  'readThread',
  'readChannel',
  'search',
  'reactions',
  'person',
  'findPerson',
  'channel',
  'isMember',
  'directChannel',
]);

/** Posts each text as it comes. */
function plainOutput({ platform, channelId, threadId }: OutputOptions): SessionOutput {
  return {
    async handle(event) {
      if (event.type === 'text') await platform.post({ channelId, threadId, markdown: event.text });
    },
    async settle() {},
    outrun() {},
    react: async () => false,
    async close() {},
  };
}
