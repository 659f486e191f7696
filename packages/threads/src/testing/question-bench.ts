import { silentLog } from '@postern/http';
import { idGenerator } from '@postern/kit';
import { type FakeClock, fakeClock, seededRandom } from '@postern/kit/testing';
import type { Engine, Store } from '@postern/store';
import type { AskScope } from '../questions/ask.ts';
import type { Approvers, QuestionDesk } from '../questions/question.ts';
import { createQuestions } from '../questions/questions.ts';
import type { SessionView, Standing } from '../sessions/session.ts';
import type { ThreadsTables } from '../tables.ts';
import { ALLOWED, type FakePlatform, fakePlatform, OWNER } from './fake-platform.ts';
import { type MemoryAudit, memoryAudit } from './memory-audit.ts';
import { threadsStore } from './store.ts';

/** Questions of one session on a platform in memory, the store real. */
export interface QuestionBench {
  readonly store: Store<ThreadsTables>;
  readonly clock: FakeClock;
  readonly platform: FakePlatform;
  readonly audit: MemoryAudit;
  readonly questions: QuestionDesk;
  /** Who is what to the session; a test changes it at will. */
  readonly standings: Map<string, Standing>;
  /** Guests and who let them in. */
  readonly invitedBy: Map<string, string>;
  readonly scope: AskScope;
  /** The platform is another process's from now on. */
  letGo(): void;
  /** The questions of another process on the same database, after a restart say. */
  restarted(): Promise<QuestionDesk>;
}

export const SESSION_ID = 'session';

export interface QuestionBenchOptions {
  readonly platform?: FakePlatform;
  readonly timeoutMs?: number;
  readonly approvers?: Approvers['rule'];
}

export async function questionBench(
  engine: Engine,
  { platform = fakePlatform(), timeoutMs = 120_000, approvers = 'all_users' }: QuestionBenchOptions = {},
): Promise<QuestionBench> {
  const clock = fakeClock();
  const { store, again } = await threadsStore(engine);
  const audit = memoryAudit();
  const standings = new Map<string, Standing>([
    [OWNER.id, 'owner'],
    [ALLOWED.id, 'allowed'],
  ]);
  const invitedBy = new Map<string, string>();
  const stop = new AbortController();
  let isOurs = true;
  const desk = (of: Store<ThreadsTables>): QuestionDesk =>
    createQuestions({
      store: of,
      clock,
      newId: idGenerator({ clock, random: seededRandom(1) }),
      log: silentLog,
      audit,
      sessions: {
        standing: async (_sessionId, _platformId, personId) => standings.get(personId) ?? 'stranger',
        view: async () => sessionView(platform, invitedBy),
      },
      platform: (platformId) => (platformId === platform.id && isOurs ? platform : null),
    });
  const questions = desk(store);
  void platform.run(
    {
      async handle(event) {
        if (event.kind === 'reacted') {
          await questions.react(platform.id, event.ref, event.personId, event.emoji);
        }
      },
      cursor: async () => null,
      saveCursor: async () => {},
      watchedThreads: async () => [],
      watchedPosts: () => questions.openPosts(platform.id),
    },
    stop.signal,
  );
  return {
    store,
    clock,
    platform,
    audit,
    questions,
    standings,
    invitedBy,
    scope: {
      questions,
      platformId: platform.id,
      sessionId: SESSION_ID,
      channelId: platform.channelId,
      threadId: 'root',
      approvers,
      deadlineMs: clock.nowMicroseconds() / 1_000 + timeoutMs,
    },
    letGo() {
      isOurs = false;
    },
    async restarted() {
      // A process that has gone hears no more of what others close.
      questions.close();
      return desk(await again());
    },
  };
}

function sessionView(platform: FakePlatform, invitedBy: ReadonlyMap<string, string>): SessionView {
  return {
    id: SESSION_ID,
    platformId: platform.id,
    channelId: platform.channelId,
    threadId: 'root',
    kind: 'thread',
    state: 'active',
    owner: OWNER,
    participants: [...invitedBy].map(([id, by]) => ({ id, name: id, invitedBy: by })),
    workingDir: '/work',
    worktree: null,
    permissionMode: 'default',
    mentionsOnly: false,
    isUnattended: false,
    title: null,
    queued: 0,
    openQuestions: 0,
    costUsd: 0,
    createdMs: 0,
    activeMs: 0,
    endedMs: null,
    endReason: null,
  };
}
