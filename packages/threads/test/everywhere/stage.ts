import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@postern/store';
import { expect, vi } from 'vitest';
import type { AuditAction, AuditLine } from '../../src/audit/audit.ts';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { threadsConfigSchema, toThreadsConfig } from '../../src/config.ts';
import { fingerprintOf } from '../../src/memory/fact.ts';
import type { Person, PostRef } from '../../src/platforms/platform.ts';
import { scriptedClaude } from '../../src/testing/fakes/claude/scripted-claude.ts';
import type { HarnessFile, HarnessPost, PlatformHarness } from '../../src/testing/platform-harness.ts';
import { threadsStore } from '../../src/testing/store.ts';
import { processAgent } from '../process-agent.ts';
import { type RunningService, runService } from '../running-service.ts';
import { type MovableClock, movableClock } from './movable-clock.ts';

/** Waits for other processes on a busy machine. */
export const patience = { timeout: 40_000, interval: 20 };

/** Waits until it holds; in hooks too, where vitest's own polling is not to be had. @throws Error that says what did not. */
export function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  return vi.waitFor(async () => {
    if (!(await holds())) throw new Error(`not so in time: ${what}`);
  }, patience);
}

export type MakeHarness = (engine: Engine) => Promise<PlatformHarness>;

export interface Thread {
  readonly channelId: string;
  /** Absent where the whole channel is the session. */
  readonly threadId?: string;
}

/** What the console tells of a question. */
export interface ShownQuestion {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly state: string;
  readonly markdown: string;
  readonly approvers: string;
  readonly decision: {
    readonly option: string | null;
    readonly text: string | null;
    readonly by: { readonly id: string; readonly name: string; readonly via: string } | null;
    readonly reason: string | null;
  } | null;
}

/**
 * The service on one platform: the real adapter at the platform's own protocol, the real store, and agents that are
 * processes which speak stream-json and start the tools' server.
 */
export interface Stage {
  readonly harness: PlatformHarness;
  readonly clock: MovableClock;
  /** Where sessions work. */
  readonly workDir: string;
  /** Begins sessions: `ada` is on the list, and so is `ben`. */
  readonly ada: Person;
  readonly ben: Person;
  /** Members of the channel whom nobody has let in. */
  readonly gus: Person;
  readonly sam: Person;
  /** Mentions the bot with a task. */
  begin(person: Person, task: string, files?: readonly HarnessFile[]): Promise<Thread>;
  say(person: Person, text: string, thread: Thread): Promise<PostRef>;
  /** The newest post of the bot's that holds the text, in a thread or anywhere in the bot's channel. */
  hears(text: string, where?: Partial<Thread>): Promise<HarnessPost>;
  /** How many posts of the bot's hold the text now. */
  count(text: string, where?: Partial<Thread>): Promise<number>;
  /** A card with the text, once all of its options hang on it. */
  card(text: string, options?: number, where?: Partial<Thread>): Promise<HarnessPost>;
  /** What a post says now, as people read it and without markup. */
  reads(ref: PostRef): Promise<string>;
  /** Lines of the record so far. */
  record(action?: AuditAction): Promise<AuditLine[]>;
  questions(state: 'open' | 'closed'): Promise<ShownQuestion[]>;
  call: RunningService['call'];
  /** Has the channel remember so many facts of ada's at once. */
  remembers(facts: readonly string[]): Promise<void>;
  /** Ends the session of a thread. */
  finish(thread: Thread): Promise<void>;
  /** Ends the process in good order, lets happen what happens meanwhile, and begins another. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** One more process on the same database and platform. */
  another(): Promise<RunningService>;
  /** Ends the process that began first; others go on. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

type Holds = (text: string) => boolean;

export interface StageOptions {
  readonly engine?: Engine;
  readonly behaviour?: object;
  readonly limits?: object;
}

export async function openStage(makeHarness: MakeHarness, options: StageOptions = {}): Promise<Stage> {
  const { engine = 'sqlite', behaviour = {}, limits = {} } = options;
  const harness = await makeHarness(engine);
  const { ada, ben, bot } = harness;
  const [gus, sam] = [await harness.addPerson('gus'), await harness.addPerson('sam')];
  const fresh = await threadsStore(engine);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postern-stage-')));
  const workDir = join(folder, 'work');
  await mkdir(workDir);
  const cli = await scriptedClaude();
  const clock = movableClock();
  const auditOf = (home: string) => join(home, 'data', 'audit', `${harness.platform.id}.jsonl`);
  const config = toThreadsConfig(
    threadsConfigSchema.parse({
      workingDir: workDir,
      limits: { flushDelayMs: 5, maxSessions: 20, ...limits },
      platforms: [
        {
          // The adapter is the harness's own, whatever stands here.
          ...{ type: 'slack', botToken: 'none', appToken: 'none' },
          id: harness.platform.id,
          channelId: harness.platform.channelId,
          botName: bot.name,
          allowedUsers: [ada.id, ben.id],
          ...{ routines: true, watches: true, sessionHeader: 'minimal' },
          ...behaviour,
        },
      ],
    }),
    { base: folder, home: folder },
  );

  function run(
    platform: PlatformHarness['platform'],
    store: typeof fresh.store,
    home: string,
  ): Promise<RunningService> {
    const agent = processAgent(cli.path, join(home, 'data', 'agents'));
    return runService({ store, agent, platform, config, folder: home, clock });
  }

  const homes = [folder];
  const others: RunningService[] = [];
  let service: RunningService | null = await run(harness.platform, fresh.store, folder);
  const isConnected = () => service?.threads.health()[0]?.status === 'ok';
  await until(isConnected, 'the platform is connected');

  const plain = (text: string) => harness.readable(text).replaceAll(/[*`\\]/g, '');

  async function said(text: string | Holds, where: Partial<Thread> = {}): Promise<HarnessPost[]> {
    const posts = await harness.posts(where.channelId ?? harness.platform.channelId);
    return posts.filter(
      (post) =>
        post.authorId === bot.id &&
        (where.threadId === undefined || post.threadId === where.threadId) &&
        (typeof text === 'string' ? plain(post.text).includes(text) : text(plain(post.text))),
    );
  }

  async function heard(
    what: string,
    holds: string | Holds,
    where: Partial<Thread> = {},
  ): Promise<HarnessPost> {
    let found: HarnessPost | undefined;
    try {
      await until(async () => {
        found = (await said(holds, where)).at(-1);
        return found !== undefined;
      }, `the bot says “${what}”`);
    } catch (error) {
      const posts = (await said('', where)).map(({ text }) => text.slice(0, 500)).slice(-10);
      throw new Error(`${error}\nIt says:\n${posts.join('\n---\n')}`);
    }
    if (found === undefined) throw new Error('it was there a moment ago');
    return found;
  }

  const stage: Stage = {
    harness,
    clock,
    workDir,
    ...{ ada, ben, gus, sam },
    async begin(person, task, files = []) {
      const { channelId, postId } = await harness.say(person, `{bot} ${task}`, { files });
      return { channelId, threadId: postId };
    },
    say: (person, text, thread) => harness.say(person, text, thread),
    hears: (text, where) => heard(text, text, where),
    count: async (text, where) => (await said(text, where)).length,
    async card(text, options = 3, where = {}) {
      // The line of the tool call may hold the same text.
      const isCard = (shown: string) => shown.includes(text) && /👍 |React with the sign/.test(shown);
      const post = await heard(`${text}, and how to answer`, isCard, where);
      await until(async () => {
        const reactions = await harness.serverReactions(post);
        return reactions.filter(({ personId }) => personId === bot.id).length === options;
      }, `${options} options hang on “${text}”`);
      return post;
    },
    reads: async (ref) => plain((await harness.serverText(ref)) ?? ''),
    async record(action) {
      const all: AuditLine[] = [];
      for (const home of homes) {
        const text = await readFile(auditOf(home), 'utf8').catch(() => '');
        for (const line of text.split('\n').slice(0, -1)) all.push(JSON.parse(line));
      }
      return action === undefined ? all : all.filter((line) => line.action === action);
    },
    async questions(state) {
      return (await stage.call('GET', `/questions?state=${state}&limit=100`)).body.data;
    },
    call(...request) {
      if (service === null) throw new Error('no process runs');
      return service.call(...request);
    },
    async remembers(facts) {
      const { platform } = harness;
      const rows = facts.map((text, index) => ({
        ...{ memory_id: `mem_${index}`, platform_id: platform.id, channel_id: platform.channelId },
        ...{ position: index + 1, source: 'user' as const, author_id: ada.id, author_name: ada.name },
        ...{ session_id: null, text, fingerprint: fingerprintOf(text) },
        ...{ created_us: clock.nowMicroseconds(), edited_us: null },
      }));
      await fresh.store.db.insertInto('threads_memories').values(rows).execute();
    },
    async finish(thread) {
      const reply = {
        channelId: thread.channelId,
        ...(thread.threadId ? { threadId: thread.threadId } : {}),
      };
      await harness.say(ada, '!stop', reply);
      await stage.hears('This session is over', thread);
    },
    async restart(meanwhile = async () => {}) {
      await service?.stop();
      service = null;
      await meanwhile();
      service = await run(await harness.again(), fresh.store, folder);
      await until(isConnected, 'the platform is connected again');
    },
    async another() {
      // Machines of their own have data folders of their own.
      const home = join(folder, `machine-${homes.length + 1}`);
      homes.push(home);
      const other = await run(await harness.again(), await fresh.again(), home);
      others.push(other);
      return other;
    },
    async leave() {
      await service?.stop();
      service = null;
    },
    async close() {
      await service?.stop();
      for (const other of others) await other.stop();
      // Whatever happened, its record holds together.
      for (const home of homes) expect(await verifyAudit(auditOf(home))).not.toMatchObject({ ok: false });
      await harness.stop();
      await cli[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}
