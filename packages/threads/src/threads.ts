import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { problem } from '@postern/http';
import * as z from 'zod';
import type { AuditFilter, AuditLog, AuditPage } from './audit/audit.ts';
import { type Bridge, openBridge } from './bridge/server.ts';
import { changeStreams } from './changes.ts';
import { commandBook } from './commands/book.ts';
import type { ThreadsConfig } from './config.ts';
import { type ConsoleMemory, consoleMemory } from './memory/console.ts';
import { MEMORY_CHANNEL } from './memory/entry.ts';
import { channelNames } from './platforms/channel-names.ts';
import type { ThreadsPorts } from './ports.ts';
import type { QuestionFilter } from './questions/question.ts';
import { createQuestions } from './questions/questions.ts';
import { CLOSED_CHANNEL, OPENED_CHANNEL } from './questions/records.ts';
import { type AccountView, accountsOf } from './sessions/accounts.ts';
import { pageOfSessions, type SessionFilter } from './sessions/listing.ts';
import {
  type ConfiguredPlatform,
  createSessionManager,
  type RoomHealth,
  SESSIONS_CHANNEL,
} from './sessions/manager.ts';
import { threadOutputs } from './sessions/outputs.ts';
import { postsToOpenAt, sessionById, viewsOf } from './sessions/records.ts';
import { tidyUp } from './sessions/retention.ts';
import { toolContextOf } from './sessions/tool-context.ts';
import { type PlatformView, questionShape, sessionShape } from './shapes.ts';
import type { SessionTable } from './tables.ts';
import { runTool } from './tools/run-tool.ts';
import { type ConsoleTasks, consoleTasks } from './unattended/console.ts';
import { TASKS_CHANNEL } from './unattended/tasks.ts';

/** What operations work with. */
export interface Threads {
  sessions(filter: SessionFilter): Promise<{ data: SessionAnswer[]; next_cursor: string | null }>;
  /** @throws Failure `not_found` */
  session(sessionId: string): Promise<SessionAnswer>;
  /** Does it where the session runs, in whatever process. @throws Failure `not_found`, `precondition_failed` */
  act(sessionId: string, act: 'end' | 'interrupt', operator: string): Promise<SessionAnswer>;
  questions(filter: QuestionFilter): Promise<ReturnType<typeof questionShape>[]>;
  /** @throws Failure `not_found`, `precondition_failed` */
  answer(questionId: string, option: string, operator: string): Promise<void>;
  /** Routines and watches. */
  readonly tasks: ConsoleTasks;
  readonly memory: ConsoleMemory;
  health(): RoomHealth[];
  /** In the order of the configuration. */
  platforms(): Promise<PlatformView[]>;
  /** The pool of the agent's accounts, in the order of the configuration. */
  accounts(): Promise<AccountView[]>;
  /** A page of a platform's record, newest first. @throws Failure `not_found` for a platform that is not configured. */
  record(platformId: string, filter: AuditFilter): Promise<AuditPage>;
  /** Server-sent events that say which session or question has changed. @throws Failure `rate_limited` */
  changes(closing: AbortSignal): Readable;
}

type SessionAnswer = ReturnType<typeof sessionShape>;

export interface RunningThreads extends Threads {
  /** @throws Error when the bridge's socket cannot be made. */
  start(): Promise<void>;
  /** Ends agents in good order; their sessions go on at the next start. */
  stop(): Promise<void>;
}

/** Store notification: an operator's act for the process that runs the session. */
const ACTS_CHANNEL = 'threads_acts';
/** How long an act in another process may take to show. */
const ACT_MS = 10_000;
const LOOK_MS = 250;

const actSchema = z.object({
  sessionId: z.string(),
  act: z.enum(['end', 'interrupt']),
  operator: z.string(),
});

/** Puts the service together; nothing runs before `start`. */
export function createThreads(
  ports: ThreadsPorts & { readonly audit: AuditLog },
  config: ThreadsConfig,
  platforms: readonly ConfiguredPlatform[],
): RunningThreads {
  const { store, clock, log } = ports;
  const stopping = new AbortController();
  const work: Promise<void>[] = [];
  let bridge: Bridge | null = null;

  const manager = createSessionManager({ ports, config, platforms, joins: () => joins });
  const questions = createQuestions({
    ...ports,
    sessions: manager.actions,
    platform: (platformId) => manager.rooms.get(platformId)?.platform ?? null,
  });
  const joins = {
    questions,
    commands: commandBook({ config, deniedPaths: ports.deniedPaths }),
    openOutput: threadOutputs({ ...ports, flushDelayMs: config.limits.flushDelayMs }),
    bridge: {
      register(sessionId: string) {
        if (bridge === null) throw new Error('the bridge is open before any session starts');
        return bridge.register(sessionId);
      },
      revoke: (sessionId: string) => bridge?.revoke(sessionId),
    },
  };
  const changes = changeStreams({ store, clock }, [
    ['session', SESSIONS_CHANNEL],
    ['question', OPENED_CHANNEL],
    ['question', CLOSED_CHANNEL],
    ['memory', MEMORY_CHANNEL],
    ['task', TASKS_CHANNEL],
  ]);
  const nameOfChannel = channelNames(clock);
  const tools = { ports, config, questions, rooms: manager.rooms, uploadDir: manager.uploadDir };

  async function answersOf(rows: readonly SessionTable[]): Promise<SessionAnswer[]> {
    const views = await viewsOf(store.db, rows);
    const posts = await postsToOpenAt(store.db, rows);
    return views.map((view) => {
      const configured = platforms.find(({ platform }) => platform.id === view.platformId);
      const postId = posts.get(view.id);
      if (configured === undefined || postId === undefined) return sessionShape(view, null);
      return sessionShape(view, configured.platform.permalink({ channelId: view.channelId, postId }));
    });
  }

  async function session(sessionId: string): Promise<SessionAnswer> {
    const row = await sessionById(store.db, sessionId);
    const [answer] = row === null ? [] : await answersOf([row]);
    if (!answer) throw problem('not_found', `No session ${sessionId} exists.`);
    return answer;
  }

  async function actHere(sessionId: string, act: 'end' | 'interrupt', operator: string): Promise<void> {
    const actor = { id: `console:${operator}`, name: operator };
    if (act === 'interrupt') await manager.actions.interrupt(sessionId, actor);
    else await manager.actions.end(sessionId, `ended by ${operator} in the console`, actor);
  }

  /** Another process holds the session's platform: it is told, and its doing waited for. */
  async function actElsewhere(sessionId: string, act: 'end' | 'interrupt', operator: string): Promise<void> {
    store.notify(ACTS_CHANNEL, JSON.stringify({ sessionId, act, operator }));
    if (act === 'interrupt') return;
    for (let waited = 0; waited < ACT_MS; waited += LOOK_MS) {
      if ((await sessionById(store.db, sessionId))?.state === 'ended') return;
      await clock.sleep(LOOK_MS, stopping.signal);
    }
    throw problem('precondition_failed', 'No process that runs the session’s platform did it in time.');
  }

  function onAct(payload: string): void {
    if (payload === '') return;
    const { data } = actSchema.safeParse(JSON.parse(payload));
    if (!data) return;
    void (async () => {
      const row = await sessionById(store.db, data.sessionId);
      if (row === null || !manager.rooms.has(row.platform_id)) return;
      await actHere(data.sessionId, data.act, data.operator);
    })().catch((error: unknown) => log.warn({ err: error }, 'an act of another process could not be done'));
  }

  const stopListening: (() => void)[] = [];

  return {
    async sessions(filter) {
      const { rows, next } = await pageOfSessions(store, filter);
      return { data: await answersOf(rows), next_cursor: next };
    },
    session,
    async act(sessionId, act, operator) {
      const row = await sessionById(store.db, sessionId);
      if (row === null) throw problem('not_found', `No session ${sessionId} exists.`);
      if (row.state === 'ended') throw problem('precondition_failed', 'The session has ended.');
      await (manager.rooms.has(row.platform_id) ? actHere : actElsewhere)(sessionId, act, operator);
      return session(sessionId);
    },
    questions: async (filter) => (await questions.list(filter)).map(questionShape),
    answer: (questionId, option, operator) => questions.answerFromConsole(questionId, option, operator),
    tasks: consoleTasks(ports),
    memory: consoleMemory(
      ports,
      platforms.map(({ platform, behaviour }) => ({ behaviour, channelId: platform.channelId })),
    ),
    health: () => manager.health(),
    platforms: () =>
      Promise.all(
        platforms.map(async ({ platform, behaviour }) => {
          const health = manager.health().find(({ id }) => id === platform.id);
          if (health === undefined) throw new Error('every configured platform has a health');
          // Who does not hold a platform has no connection to ask over.
          const name = manager.rooms.has(platform.id) ? await nameOfChannel(platform) : null;
          return { health, behaviour, channel: { id: platform.channelId, name } };
        }),
      ),
    accounts: () => accountsOf(ports, config.claudeAccounts),
    changes: (closing) => changes.open(closing),
    async record(platformId, filter) {
      if (!platforms.some(({ platform }) => platform.id === platformId))
        throw problem('not_found', `No platform ${platformId} is configured.`);
      return ports.audit.page(platformId, filter);
    },
    async start() {
      const left = await ports.agent.endLeftovers();
      if (left > 0) log.warn({ agents: left }, 'ended agents that a killed process had left running');
      bridge = await openBridge({
        folder: join(ports.dataDir, 'bridge'),
        clock,
        random: ports.random,
        log,
        async handle(sessionId, call, signal) {
          const context = await toolContextOf(tools, sessionId, signal);
          if (context === null) return { ok: false, reason: 'The session has ended.' };
          return { ...(await runTool(call.tool, call.input, context)) };
        },
      });
      stopListening.push(store.listen(ACTS_CHANNEL, onAct));
      const keeping = {
        uploadDir: manager.uploadDir,
        platforms: new Set(platforms.map(({ platform }) => platform.id)),
        endForgotten: manager.endForgotten,
      };
      work.push(tidyUp(ports, keeping, stopping.signal));
      manager.start();
    },
    async stop() {
      stopping.abort();
      for (const stop of stopListening) stop();
      changes.close();
      await manager.stop();
      // What its agents still wait for is withdrawn with it.
      await bridge?.close();
      await questions.settled();
      questions.close();
      await Promise.all(work);
      await ports.audit.close();
    },
  };
}
