import type { Log } from '@postern/http';
import { type Clock, nowMilliseconds, type Random } from '@postern/kit';
import { historyEndsMs } from '../first-start.ts';
import { PlatformError, type PlatformEvent, type PlatformFeed, type PlatformHealth } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import { backoffMs } from '../retry.ts';
import type { ServerAddress } from './address.ts';
import type { MattermostApi } from './api.ts';
import type { Directory } from './directory.ts';
import type { FrameReader } from './events.ts';
import { advance, formatPosition, isDone, type Position, parsePosition, startAt } from './position.ts';
import type { PostReader } from './posts.ts';
import { missedPosts, missedReactions, newestPostMs, reactionKey, toldReactions } from './recovery.ts';
import { type MattermostSocket, openSocket } from './socket.ts';
import type { WireFrame, WirePost } from './wire.ts';

/** How long things are waited for, in milliseconds. */
export interface Pauses {
  readonly firstReconnectMs: number;
  readonly longestReconnectMs: number;
  /** Between tries with credentials or a channel that the server refuses. */
  readonly refusedMs: number;
  readonly heartbeatMs: number;
  readonly helloMs: number;
  readonly orderMs: number;
}

export const usualPauses: Pauses = {
  firstReconnectMs: 1_000,
  longestReconnectMs: 60_000,
  refusedMs: 60_000,
  heartbeatMs: 30_000,
  helloMs: 15_000,
  orderMs: 250,
};

export interface ConnectionPorts {
  readonly address: ServerAddress;
  readonly token: string;
  readonly channelId: string;
  readonly api: MattermostApi;
  readonly people: Directory;
  readonly reader: PostReader;
  readonly readFrame: FrameReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly pauses: Pauses;
  /** Asked before each connection: whether the bot may work there at all. @throws PlatformError */
  introduce(signal: AbortSignal): Promise<void>;
}

export interface Connection {
  run(feed: PlatformFeed, signal: AbortSignal): Promise<void>;
  health(): PlatformHealth;
  typing(channelId: string, threadId: string | null): void;
}

const MOST_RECENT_POSTS = 20_000;
/** A connection that lasted this long has earned a quick reconnect. */
const STABLE_MS = 60_000;
/** After so many gaps in a row in which nothing was missed, the next are looked at no oftener than this. */
const MOST_FALSE_GAPS = 5;
const GAP_PAUSE_MS = 10_000;
const FIRST_HANDLE_PAUSE_MS = 200;

/**
 * Keeps the bot connected. After every connection, and after every gap in the numbers of the events, what was missed
 * is fetched first; only then come the live events, one by one. Posts are handed over once in a process, by id.
 */
export function connection(ports: ConnectionPorts): Connection {
  const { address, token, channelId, api, people, reader, readFrame, clock, random, log, pauses } = ports;
  const handled = new RecentMap<true>(MOST_RECENT_POSTS);
  const told = toldReactions();
  let health: PlatformHealth = { status: 'connecting' };
  let socket: MattermostSocket | null = null;
  let position: Position | null = null;
  /** When the first try to connect began. */
  let sinceMs = 0;

  /** Hands over until it is on record. False when the signal aborted meanwhile. */
  async function handOver(
    feed: PlatformFeed,
    event: PlatformEvent,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await feed.handle(event, cursor);
        return true;
      } catch (error) {
        log.error({ err: error, kind: event.kind }, 'an event of Mattermost could not be recorded');
        await clock.sleep(backoffMs(failures, random, { firstMs: FIRST_HANDLE_PAUSE_MS }), signal);
      }
    }
    return false;
  }

  async function positionNow(feed: PlatformFeed, signal: AbortSignal): Promise<Position> {
    if (position !== null) return position;
    const saved = await feed.cursor();
    position = saved === null ? null : parsePosition(saved);
    if (position !== null) {
      for (const { id } of position.done) handled.set(id, true);
      return position;
    }
    const newestMs = await newestPostMs(api, channelId, signal);
    position = startAt(historyEndsMs(clock, newestMs, sinceMs) + 1);
    await feed.saveCursor(formatPosition(position));
    return position;
  }

  /** How many events were missed. The cursor moves at the end only, so that a stop on the way leaves nothing out. */
  async function recover(feed: PlatformFeed, signal: AbortSignal): Promise<number> {
    const start = await positionNow(feed, signal);
    const { id: selfId } = await people.self();
    let reached = start;
    let count = 0;
    for (let isCut = true; isCut; ) {
      const missed = await missedPosts({
        ...{ api, channelId, feed, signal },
        // What is in a go is not in the next, though the position itself stays until all is done.
        floorMs: count === 0 ? start.floorMs : reached.floorMs,
        isDone: (post) => handled.has(post.id) || isDone(count === 0 ? start : reached, post),
      });
      isCut = missed.isCut;
      for (const post of missed.posts) {
        const event: PlatformEvent = { kind: 'posted', post: await reader.read(post) };
        if (!(await handOver(feed, event, null, signal))) return count;
        handled.set(post.id, true);
        reached = advance(reached, { id: post.id, createdMs: post.create_at });
        count += 1;
      }
    }
    for (const event of await missedReactions({ api, feed, signal }, selfId, told)) {
      if (!(await handOver(feed, event, null, signal))) return count;
      noteReaction(event);
      count += 1;
    }
    position = reached;
    if (reached !== start) await feed.saveCursor(formatPosition(reached));
    return count;
  }

  function noteReaction(event: PlatformEvent): void {
    if (event.kind !== 'reacted' && event.kind !== 'unreacted') return;
    const key = reactionKey(event.personId, event.emoji);
    if (event.kind === 'reacted') told.add(event.ref.postId, key);
    else told.delete(event.ref.postId, key);
  }

  function isRepeated(event: PlatformEvent): boolean {
    if (event.kind === 'posted') return handled.has(event.post.postId);
    return event.kind === 'reacted' && told.has(event.ref.postId, reactionKey(event.personId, event.emoji));
  }

  async function live(feed: PlatformFeed, frame: WireFrame, signal: AbortSignal): Promise<void> {
    const happened = await readFrame(frame);
    if (happened === null || isRepeated(happened.event)) return;
    const { event, post } = happened;
    const next = event.kind === 'posted' ? moved(post) : null;
    const cursor = next === null ? null : formatPosition(next);
    if (!(await handOver(feed, event, cursor, signal))) return;
    if (event.kind === 'posted') handled.set(event.post.postId, true);
    noteReaction(event);
    position = next ?? position;
  }

  function moved(post: WirePost | null): Position | null {
    if (position === null || post === null) return null;
    return advance(position, { id: post.id, createdMs: post.create_at });
  }

  /** Until the connection ends. @throws PlatformError then, unless the signal aborted */
  async function listen(opened: MattermostSocket, feed: PlatformFeed, signal: AbortSignal): Promise<void> {
    let isGapOpen = false;
    let falseGaps = 0;
    let notBeforeMs = 0;
    for (;;) {
      const arrival = await opened.next();
      if (signal.aborted) return;
      if (arrival.kind === 'closed') throw new PlatformError('unavailable', arrival.reason);
      isGapOpen ||= arrival.kind === 'missed';
      if (isGapOpen && nowMilliseconds(clock) >= notBeforeMs) {
        isGapOpen = false;
        falseGaps = (await recover(feed, signal)) === 0 ? falseGaps + 1 : 0;
        if (falseGaps >= MOST_FALSE_GAPS) notBeforeMs = nowMilliseconds(clock) + GAP_PAUSE_MS;
      }
      if (arrival.kind === 'event') await live(feed, arrival.frame, signal);
    }
  }

  async function connectOnce(feed: PlatformFeed, signal: AbortSignal): Promise<void> {
    await ports.introduce(signal);
    // Before the connection: what comes from here on is either live or missed.
    await positionNow(feed, signal);
    const opened = await openSocket({ url: address.webSocket, token, clock, signal, ...pauses });
    socket = opened;
    try {
      await recover(feed, signal);
      health = { status: 'ok' };
      await listen(opened, feed, signal);
    } finally {
      socket = null;
      opened.close();
    }
  }

  return {
    async run(feed, signal) {
      sinceMs = nowMilliseconds(clock);
      let failures = 0;
      while (!signal.aborted) {
        const startedMs = nowMilliseconds(clock);
        const before = health.status;
        let pause = 0;
        try {
          await connectOnce(feed, signal);
        } catch (error) {
          if (signal.aborted) break;
          if (nowMilliseconds(clock) - startedMs > STABLE_MS) failures = 0;
          failures += 1;
          const isRefused =
            error instanceof PlatformError && !['unavailable', 'unknown'].includes(error.code);
          health = { status: isRefused ? 'failed' : 'degraded', detail: sentence(error) };
          pause = isRefused
            ? backoffMs(failures, random, {
                firstMs: pauses.refusedMs,
                longestMs: pauses.refusedMs * 5,
              })
            : backoffMs(failures, random, {
                firstMs: pauses.firstReconnectMs,
                longestMs: pauses.longestReconnectMs,
              });
          if (before !== health.status) log.warn({ detail: health.detail }, 'Mattermost is not connected');
        }
        await clock.sleep(pause, signal);
      }
      health = { status: 'connecting', detail: 'not running' };
    },
    health: () => health,
    typing: (channel, threadId) => socket?.typing(channel, threadId),
  };
}

function sentence(error: unknown): string {
  if (!(error instanceof PlatformError)) return 'An unexpected error stopped it; it is tried again.';
  if (error.code === 'unavailable' || error.code === 'unknown') {
    return `Mattermost cannot be reached: ${error.message}. It is tried again without end.`;
  }
  return error.message;
}
