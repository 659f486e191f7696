import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import { roomMemory } from '../memory/room-memory.ts';
import type { Platform, PlatformFeed, PostRef } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { createTaskDesk, type TaskDesk } from '../unattended/desk.ts';
import { mayAs } from './decide.ts';
import { headerAct } from './header.ts';
import { inboundFeed, type ThreadPlace } from './inbound.ts';
import type { SessionJoins } from './joins.ts';
import { giveBackPending } from './ledgers.ts';
import { type LiveSession, liveSession } from './live.ts';
import { messagesIn } from './messages.ts';
import { askAboutOutsider } from './outsiders.ts';
import { createPeople, type People } from './people.ts';
import { systemPromptOf } from './prompts.ts';
import { messageReader } from './reader.ts';
import { addFacts, liveSessionOf, liveSessionsOf, moveSession, sessionSteeredBy } from './records.ts';
import { speaker } from './say.ts';
import { type PostedIn, withPostsSeen } from './seen-posts.ts';
import type { Actor, SessionActions, Standing } from './session.ts';
import type { Slots } from './slots.ts';
import { statusPost } from './status-post.ts';
import { threadWorkers } from './thread-workers.ts';

const MINUTE_US = 60_000_000;
const SYSTEM: Actor = { id: 'system', name: 'system' };

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
  const { store, clock, log, audit } = ports;
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
        systemPrompt: async (row) =>
          systemPromptOf({
            platform,
            behaviour,
            session: row,
            commands: joins.commands.all.filter(({ feature }) => feature === undefined || behaviour[feature]),
            uploadDir: options.uploadDir(row.session_id),
            background: await memory.background(row),
          }),
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

  async function onReaction(ref: PostRef, personId: string, emoji: string): Promise<void> {
    if (isShut || (await joins.questions.react(platform.id, ref, personId, emoji))) return;
    start('a reaction to output could not be carried out', reactToOutput(ref, personId, emoji));
    const act = headerAct(emoji);
    const session = act === null ? null : await sessionSteeredBy(store.db, platform.id, ref);
    if (act === null || session === null) return;
    const needed = act === 'resume' ? 'guest' : whoMay(act === 'end' ? 'stop' : 'escape');
    if (!mayAs(await standing(session, personId), needed)) {
      await audit.record(platform.id, {
        action: 'reaction_refused',
        sessionId: session.session_id,
        channelId: ref.channelId,
        threadId: session.thread_id,
        actor: personId,
        details: { emoji, act },
      });
      return;
    }
    start('a reaction could not be carried out', actOn(session, act, personId));
  }

  /** Reactions on what an agent has posted show or hide details; whoever is in the session may. */
  async function reactToOutput(ref: PostRef, personId: string, emoji: string): Promise<void> {
    for (const own of lives.values()) {
      if (own.hasOutput() && mayAs(await standing(own.row, personId), 'guest')) {
        if (await own.react(ref, emoji)) return;
      }
    }
  }

  /** A session whose thread is gone has nowhere to speak. */
  async function onDeleted({ channelId, postId }: PostRef): Promise<void> {
    const session = await liveSessionOf(store.db, { platformId: platform.id, channelId, threadId: postId });
    if (session === null) return;
    start('a session could not be ended', live(session).end('its thread was deleted', SYSTEM));
  }

  async function onReactionTakenBack(ref: PostRef, personId: string, emoji: string): Promise<void> {
    if (!isShut) start('a reaction to output could not be taken back', reactToOutput(ref, personId, emoji));
  }

  async function actOn(session: SessionTable, act: 'end' | 'interrupt' | 'resume', personId: string) {
    const name = (await platform.person(personId))?.name ?? personId;
    const actor = { id: personId, name };
    if (act === 'end') await live(session).end(`ended by @${name}`, actor);
    else if (act === 'interrupt') await live(session).interrupt(actor);
    else await live(session).resume(actor);
  }

  function whoMay(command: string): Standing {
    return joins.commands.all.find(({ name }) => name === command)?.who ?? 'allowed';
  }

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
    onDeleted,
    onReaction,
    onReactionTakenBack,
    openQuestionPosts: () => joins.questions.openPosts(platform.id),
    isShut: () => isShut,
  });

  async function restore(): Promise<void> {
    await people.resolve(closing.signal);
    await giveBackPending(store, platform.id);
    const closed = joins.questions.closeStale(platform.id);
    start('open questions of an earlier process could not be closed', closed);
    if (closing.signal.aborted) return;
    // Looked up before anything new is worked on, so that nothing of this process is brought back as well.
    const sessions = await liveSessionsOf(store.db, platform.id);
    const waiting = await Promise.all(
      sessions.map(({ session_id }) => messagesIn(store.db, session_id, ['held'])),
    );
    resolved.resolve();
    const isClosed = closed.catch(() => undefined);
    start(
      'routines and watches could not be begun',
      isClosed.then(() => tasks.begin()),
    );
    for (const [index, session] of sessions.entries()) {
      if (closing.signal.aborted) return;
      for (const message of waiting[index] ?? []) held(message, session);
      await bringBack(session).catch((error: unknown) =>
        log.error({ err: error, session: session.session_id }, 'a session could not be brought back'),
      );
    }
    await workers.kickAll();
    start('the status post is not kept up to date', status.run(closing.signal));
  }

  async function bringBack(session: SessionTable): Promise<void> {
    const own = live(session);
    const waiting = await messagesIn(store.db, session.session_id, ['queued', 'given', 'taken'], 1);
    const isIdle = waiting.length === 0;
    if (session.state === 'paused') return isIdle ? undefined : own.wake();
    const limitUs = config.limits.sessionTimeoutMinutes * MINUTE_US;
    if (isIdle && session.active_us + limitUs < clock.nowMicroseconds()) {
      await moveSession(store.db, session.session_id, 'pause');
      const say = speaker(placeOf(session), log);
      const post = await say('⏸️ Paused while I was away. Write, or react with 🔄 here, to go on.');
      if (post) await addFacts(store.db, session.session_id, { pausedPostId: post.postId });
      return;
    }
    await own.resume(SYSTEM);
  }

  const placeOf = (session: SessionTable) => ({
    platform,
    channelId: session.channel_id,
    threadId: session.kind === 'channel' ? null : session.thread_id,
  });

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
      await Promise.all(sessions.map((session) => live(session).end(`!kill by @${actor.name}`, actor)));
      return sessions.length;
    },
    async close() {
      closing.abort();
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
