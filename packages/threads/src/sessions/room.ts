import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import { roomMemory } from '../memory/room-memory.ts';
import type { Platform, PlatformFeed, PostRef } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { CLOSED_CHANNEL, OPENED_CHANNEL } from '../questions/records.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { createTaskDesk, type TaskDesk } from '../unattended/desk.ts';
import { messageEdits } from './edits.ts';
import { inboundFeed, type ThreadPlace } from './inbound.ts';
import type { SessionJoins } from './joins.ts';
import { type LiveSession, liveSession } from './live.ts';
import { askAboutOutsider } from './outsiders.ts';
import { createPeople, type People } from './people.ts';
import { systemPromptOf } from './prompts.ts';
import { reactionsOf } from './reactions.ts';
import { messageReader } from './reader.ts';
import { liveSessionOf, liveSessionsOf } from './records.ts';
import { restoreSessions } from './restoring.ts';
import { type PostedIn, withPostsSeen } from './seen-posts.ts';
import { type Actor, type SessionActions, type Standing, SYSTEM } from './session.ts';
import type { Slots } from './slots.ts';
import { statusPost } from './status-post.ts';
import { threadWorkers } from './thread-workers.ts';

export interface RoomOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  readonly slots: Slots;
  readonly actions: SessionActions;
  uploadDir(sessionId: string): string;
  onChange(sessionId: string): void;
}

/** A question waits no longer than this for what the agent has said before it. */
const SETTLE_MS = 2_000;

/** One platform's sessions while this process holds it. */
export interface Room {
  readonly platform: Platform;
  readonly behaviour: PlatformConfig;
  readonly people: People;
  readonly feed: PlatformFeed;
  /** Routines and watches. */
  readonly tasks: TaskDesk;
  /** Looks up the list, brings back the sessions of an earlier process, and works on what waits. */
  restore(): Promise<void>;
  live(session: SessionTable): LiveSession;
  held(message: MessageTable, session: SessionTable): void;
  standing(session: SessionTable | null, personId: string): Promise<Standing>;
  /** Ends every session and takes nothing any more. How many there were. */
  kill(actor: Actor): Promise<number>;
  /** Takes all processes down and keeps everything for the next start. */
  close(): Promise<void>;
}

export function createRoom(options: RoomOptions): Room {
  const { ports, config, behaviour, joins, slots } = options;
  const { store, clock, log } = ports;
  const closing = new AbortController();
  const lives = new Map<string, LiveSession>();
  const background = new Set<Promise<unknown>>();
  const platform = withPostsSeen(options.platform, { before: settle, after: outrun });
  const people = createPeople({ platform, store, clock, log, ...behaviour });
  const memory = roomMemory({ ports, config, behaviour, platform, signal: closing.signal });
  let isShut = false;

  function livesIn({ channelId, threadId }: PostedIn): LiveSession[] {
    return [...lives.values()].filter(
      ({ row }) => row.channel_id === channelId && (row.kind === 'channel' || row.thread_id === threadId),
    );
  }

  /** What an agent has said stands before a post of somebody else's: a question is read after what led to it. */
  async function settle(place: PostedIn): Promise<void> {
    const patience = new AbortController();
    const settled = Promise.all(livesIn(place).map((own) => own.settle()));
    await Promise.race([settled, clock.sleep(SETTLE_MS, patience.signal)]);
    patience.abort();
  }

  /** What an agent says from here on stands behind a post that somebody else has made in its thread. */
  function outrun(place: PostedIn): void {
    for (const own of livesIn(place)) own.outrun();
  }

  const status = statusPost({ ports, platform: options.platform, mode: behaviour.stickyMessage });

  const stopListening = [OPENED_CHANNEL, CLOSED_CHANNEL].map((channel) =>
    store.listen(channel, () => status.touch()),
  );

  function onChange(sessionId: string): void {
    options.onChange(sessionId);
    status.touch();
  }

  /** Work that nobody waits for; a failure is logged. */
  function start(what: string, work: Promise<unknown>): void {
    const task = work.catch((error: unknown) => {
      if (!closing.signal.aborted) log.error({ err: error, platform: platform.id }, what);
    });
    background.add(task);
    void task.finally(() => background.delete(task));
  }

  function live(session: SessionTable): LiveSession {
    const known = lives.get(session.session_id);
    if (known) return known;
    const made = liveSession(
      {
        ports,
        config,
        behaviour,
        platform,
        quietPlatform: options.platform,
        joins,
        people,
        slots,
        systemPrompt: (row) =>
          systemPromptOf({
            platform,
            behaviour,
            session: row,
            commands: joins.commands.all.filter(({ feature }) => feature === undefined || behaviour[feature]),
            uploadDir: options.uploadDir(row.session_id),
          }),
        background: memory.background,
        autoMemoryDir: memory.autoMemoryDir,
        onText: memory.heard,
        uploadDir: options.uploadDir,
        onChange,
        onUnattendedEnd: (sessionId, outcome) => tasks.settle(sessionId, outcome),
        onEnded: (sessionId) => {
          lives.delete(sessionId);
          onChange(sessionId);
          start('a session was not looked through for memory', memory.distil(sessionId));
        },
      },
      session,
    );
    lives.set(session.session_id, made);
    return made;
  }

  async function standing(session: SessionTable | null, personId: string): Promise<Standing> {
    const isAllowed = people.isAllowed(personId);
    if (session === null) return isAllowed ? 'allowed' : 'stranger';
    // Who is taken off the list is no owner any more either.
    if (isAllowed) return session.owner_id === personId ? 'owner' : 'allowed';
    const guest = await store.db
      .selectFrom('threads_participants')
      .select('person_id')
      .where('session_id', '=', session.session_id)
      .where('person_id', '=', personId)
      .executeTakeFirst();
    return guest ? 'guest' : 'stranger';
  }

  /** Asks about a stranger's message; the thread goes on meanwhile. */
  function held(message: MessageTable, session: SessionTable): void {
    start(
      'a held message could not be asked about',
      askAboutOutsider(
        {
          ports,
          platform,
          questions: joins.questions,
          approvers: approvalsOf(behaviour, session) === 'owner' ? 'owner' : 'owner_or_allowed',
          timeoutMs: config.decisionTimeoutMs,
        },
        session,
        message,
        closing.signal,
      ).then((isIn) => {
        if (isIn) live(session).wake();
      }),
    );
  }

  /** A session whose thread is gone has nowhere to speak. */
  async function onDeleted({ channelId, postId }: PostRef): Promise<void> {
    const session = await liveSessionOf(store.db, { platformId: platform.id, channelId, threadId: postId });
    if (session === null) return;
    start('a session could not be ended', live(session).end('its thread was deleted', SYSTEM));
  }

  const reactions = reactionsOf({
    ports,
    platform,
    joins,
    lives: () => lives.values(),
    live,
    standing,
    start,
    isShut: () => isShut,
  });

  const tasks = createTaskDesk({
    ...options,
    platform,
    questions: joins.questions,
    people,
    ready: () => resolved.promise,
    signal: closing.signal,
    live,
    start,
    isShut: () => isShut,
  });

  const reader = messageReader({
    ...options,
    tasks,
    platform,
    people,
    standing,
    live,
    held,
    signal: closing.signal,
    start,
  });

  const resolved = Promise.withResolvers<void>();
  const workers = threadWorkers({
    ports,
    platform,
    signal: closing.signal,
    ready: resolved.promise,
    handle: (message) => reader.read(message),
    giveUp: (message) => reader.giveUp(message),
  });

  const feed = inboundFeed({
    ports,
    platform,
    behaviour,
    people,
    onRecorded(place: ThreadPlace) {
      outrun(place);
      workers.kick(place);
    },
    onUnconcerned: (post) => tasks.see(post),
    onEdited: messageEdits({ ...options, people, standing, live, platform }),
    onDeleted,
    ...reactions,
    openQuestionPosts: () => joins.questions.openPosts(platform.id),
    isShut: () => isShut,
  });

  async function restore(): Promise<void> {
    await people.resolve(closing.signal);
    await restoreSessions({
      ports,
      config,
      behaviour,
      platform,
      joins,
      signal: closing.signal,
      live,
      held,
      start,
      onLookedUp: resolved.resolve,
      onQuestionsClosed: () => tasks.begin(),
    });
    if (closing.signal.aborted) return;
    start('a thread was not told of a save of memory', memory.tellLeft());
    await workers.kickAll();
    start('the status post is not kept up to date', status.run(closing.signal));
  }

  return {
    platform,
    behaviour,
    people,
    feed,
    tasks,
    restore,
    live,
    held,
    standing,
    async kill(actor) {
      isShut = true;
      const sessions = await liveSessionsOf(store.db, platform.id);
      await Promise.all(
        sessions.map((session) =>
          live(session).end(
            `@${actor.name} ended all sessions here with \`!kill\``,
            actor,
            'I take no more messages until my next start.',
          ),
        ),
      );
      return sessions.length;
    },
    async close() {
      closing.abort();
      for (const stop of stopListening) stop();
      resolved.resolve();
      await workers.done();
      await Promise.all([...lives.values()].map((each) => each.halt()));
      await feed.flush();
      await Promise.all(background);
    },
  };
}

/** Who may approve in a session: all who take part, unless the whole channel is one person's session. */
export function approvalsOf(
  { approvals }: Pick<PlatformConfig, 'approvals'>,
  { kind }: Pick<SessionTable, 'kind'>,
): 'owner' | 'all_users' {
  return approvals ?? (kind === 'channel' ? 'owner' : 'all_users');
}
