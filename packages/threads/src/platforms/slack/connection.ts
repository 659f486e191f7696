import type { Log } from '@postern/http';
import { type Clock, nowMilliseconds, type Random } from '@postern/kit';
import type { z } from 'zod';
import { historyEndsMs } from '../first-start.ts';
import { PlatformError, type PlatformEvent, type PlatformFeed, type PlatformHealth } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import { backoffMs } from '../retry.ts';
import type { SlackApi } from './api.ts';
import { type Happened, readEvent, toPlatformEvent } from './events.ts';
import { historyPages } from './paging.ts';
import type { Pauses } from './pauses.ts';
import type { Directory } from './people.ts';
import {
  advance,
  doneKey,
  formatPosition,
  isDone,
  type Position,
  parsePosition,
  settle,
  startAt,
} from './position.ts';
import type { PostReader } from './posts.ts';
import { missedPosts, missedReactions } from './recovery.ts';
import type { eventPayload } from './shapes.ts';
import { openSocket } from './socket.ts';
import { compareTs, tsMs, tsOfMs } from './ts.ts';

export interface ConnectionPorts {
  readonly api: SlackApi;
  readonly appToken: string;
  readonly apiUrl?: string | undefined;
  readonly channelId: string;
  readonly people: Directory;
  readonly reader: PostReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly deadlineMs: number;
  readonly pauses: Pauses;
}

export interface Connection {
  run(feed: PlatformFeed, signal: AbortSignal): Promise<void>;
  health(): PlatformHealth;
}

const MOST_KNOWN = 20_000;
/** Events that wait for the feed; beyond it Slack is left to send them again. */
const MOST_WAITING = 5_000;
/** A connection that lasted this long has earned a quick reconnect. */
const STABLE_MS = 60_000;
const LINK_DISABLED = 'Socket Mode is switched off in the settings of the Slack app';

/**
 * Keeps the bot connected. After every connection what was missed is fetched first; only then come the live events,
 * one by one. Slack is told at once that an event arrived, and sends what it did not hear of again; the event counts
 * as done when the feed has it.
 */
export function connection(ports: ConnectionPorts): Connection {
  const { api, channelId, people, reader, clock, random, log, pauses } = ports;
  /** Posts handed over, and other events by Slack's id for them. */
  const known = new RecentMap<true>(MOST_KNOWN);
  const reactions = new RecentMap<true>(MOST_KNOWN);
  let health: PlatformHealth = { status: 'connecting' };
  /** When the first try to connect began. */
  let sinceMs = 0;
  let position: Position | null = null;
  /** The newest post there was at the first start of all; Slack may still send what it could not deliver before. */
  let beginning: string | null = null;
  /** Events that the feed has not got yet; they outlast the connection that brought them. */
  const waiting: Happened[] = [];
  let hasRefused = false;
  let wake = () => {};

  /** Hands over until it is on record; not after the signal aborted. */
  async function handOver(
    feed: PlatformFeed,
    event: PlatformEvent,
    next: Position | null,
    signal: AbortSignal,
  ): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      try {
        await feed.handle(event, next === null ? null : formatPosition(next));
        position = next ?? position;
        return;
      } catch (error) {
        log.error({ err: error, kind: event.kind }, 'an event of Slack could not be recorded');
        await clock.sleep(backoffMs(failures, random, { firstMs: pauses.handleMs }), signal);
      }
    }
  }

  function historyEnds(newest: string): string {
    const endsMs = historyEndsMs(clock, tsMs(newest), sinceMs);
    return endsMs === tsMs(newest) ? newest : tsOfMs(endsMs);
  }

  async function positionNow(feed: PlatformFeed, signal: AbortSignal): Promise<Position> {
    if (position !== null) return position;
    const saved = await feed.cursor();
    position = saved === null ? null : parsePosition(saved);
    if (position !== null) return position;
    let newest: string | null = null;
    for await (const { messages } of historyPages(api, { channelId, limit: 1, signal })) {
      newest = messages[0]?.ts ?? null;
      break;
    }
    position = startAt(newest === null ? null : historyEnds(newest));
    beginning = position.floor;
    await feed.saveCursor(formatPosition(position));
    return position;
  }

  async function recover(feed: PlatformFeed, signal: AbortSignal): Promise<void> {
    const start = await positionNow(feed, signal);
    const self = await people.self();
    const missed = await missedPosts({ api, channelId, feed, signal, floor: start.floor });
    for (const { channelId: channel, message, isNew } of missed) {
      const key = doneKey(channel, message.ts);
      const isOld = !isNew || known.has(key) || start.done.includes(key);
      const edit = message.edited ? editKey(key, message.edited.ts) : null;
      // The bot edits its own posts all the time, and knows.
      if (isOld && (edit === null || known.has(edit) || message.user === self.person.id)) continue;
      const kind = isOld ? 'edited' : 'posted';
      const post = await reader.read(channel, message);
      // Oldest first and all of them, so whatever is older is done.
      const next = isOld || position === null ? null : settle(position, message.ts);
      await handOver(feed, { kind, post }, next, signal);
      known.set(key, true);
      if (edit !== null) known.set(edit, true);
    }
    for (const { ref, personId, emoji } of await missedReactions(api, feed, signal)) {
      const key = reactionKey(ref.channelId, ref.postId, personId, emoji);
      if (personId === self.person.id || reactions.has(key)) continue;
      await handOver(feed, { kind: 'reacted', ref, personId, emoji }, null, signal);
      reactions.set(key, true);
    }
  }

  async function live(feed: PlatformFeed, happened: Happened, signal: AbortSignal): Promise<void> {
    const event = await toPlatformEvent(happened, people, reader);
    if (event === null) return;
    if (event.kind !== 'posted') {
      await handOver(feed, event, null, signal);
      if ('message' in happened && happened.message.edited) {
        const { channelId: channel, message } = happened;
        known.set(editKey(doneKey(channel, message.ts), happened.message.edited.ts), true);
      }
      if (event.kind !== 'reacted' && event.kind !== 'unreacted') return;
      const { ref, personId, emoji } = event;
      const key = reactionKey(ref.channelId, ref.postId, personId, emoji);
      if (event.kind === 'reacted') reactions.set(key, true);
      else reactions.delete(key);
      return;
    }
    const { channelId: channel, postId } = event.post;
    if (known.has(doneKey(channel, postId)) || (position?.done.includes(doneKey(channel, postId)) ?? false))
      return;
    if (beginning !== null && compareTs(postId, beginning) <= 0) return;
    const from = await positionNow(feed, signal);
    const next = isDone(from, channel, postId) ? null : advance(from, channel, postId);
    await handOver(feed, event, next, signal);
    known.set(doneKey(channel, postId), true);
  }

  /** The bot's own channel and its direct conversations; it may be in other channels for other reasons. */
  function isOurs(channel: string): boolean {
    return channel === channelId || channel.startsWith('D');
  }

  function accept({ event_id: id, event }: z.infer<typeof eventPayload>): boolean {
    if (waiting.length >= MOST_WAITING) {
      hasRefused = true;
      return false;
    }
    if (id !== undefined && known.has(id)) return true;
    if (id !== undefined) known.set(id, true);
    const happened = readEvent(event);
    if (happened === null || !isOurs(happened.channelId)) return true;
    waiting.push(happened);
    wake();
    return true;
  }

  async function connectOnce(feed: PlatformFeed, signal: AbortSignal): Promise<void> {
    await people.self(signal);
    // Before the connection: what comes from here on is either live or missed.
    await positionNow(feed, signal);
    const socket = await openSocket({ ...ports, helloMs: pauses.helloMs, accept }, signal);
    let closed: string | null = null;
    void socket.closed.then((reason) => {
      closed = reason;
      wake();
    });
    const stop = () => wake();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await recover(feed, signal);
      health = { status: 'ok' };
      for (;;) {
        signal.throwIfAborted();
        const next = waiting[0];
        if (next !== undefined) {
          await live(feed, next, signal);
          waiting.shift();
          continue;
        }
        if (hasRefused) {
          hasRefused = false;
          await recover(feed, signal);
          continue;
        }
        if (closed !== null) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (waiting.length > 0 || closed !== null || signal.aborted) resolve();
        });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      socket.close();
    }
    throw new Closed(closed);
  }

  return {
    async run(feed, signal) {
      sinceMs = nowMilliseconds(clock);
      let failures = 0;
      while (!signal.aborted) {
        const startedMs = nowMilliseconds(clock);
        let pause = 0;
        try {
          await connectOnce(feed, signal);
        } catch (error) {
          if (signal.aborted) break;
          if (nowMilliseconds(clock) - startedMs > STABLE_MS) failures = 0;
          if (error instanceof Closed && error.isRoutine && failures === 0) {
            failures = 1;
            continue;
          }
          failures += 1;
          const before = health.status;
          health = healthOf(error);
          if (!(error instanceof PlatformError || error instanceof Closed)) {
            log.error({ err: error }, 'the connection to Slack failed in an unexpected way');
          }
          const [firstMs, longestMs] =
            health.status === 'failed'
              ? [pauses.refusedMs, pauses.refusedMs * 5]
              : [pauses.firstReconnectMs, pauses.longestReconnectMs];
          pause = backoffMs(failures, random, { firstMs, longestMs });
          if (before !== health.status) log.warn({ detail: health.detail }, 'Slack is not connected');
        }
        await clock.sleep(pause, signal);
      }
      health = { status: 'connecting', detail: 'not running' };
    },
    health: () => health,
  };
}

/** A connection that was up has ended. */
class Closed extends Error {
  override readonly name = 'Closed';
  readonly reason: string;
  /** Slack renews each connection every few hours and says so. */
  readonly isRoutine: boolean;

  constructor(reason: string | null) {
    super('the connection ended');
    this.reason = reason ?? 'lost';
    this.isRoutine = reason === 'warning' || reason === 'refresh_requested' || reason === 'refresh';
  }
}

function healthOf(error: unknown): PlatformHealth {
  if (error instanceof Closed) {
    if (error.reason === 'link_disabled') return { status: 'failed', detail: `${LINK_DISABLED}.` };
    return {
      status: 'degraded',
      detail: `The connection to Slack ended (${error.reason}); it is made again.`,
    };
  }
  if (!(error instanceof PlatformError)) {
    return { status: 'degraded', detail: 'An unexpected error stopped it; it is tried again.' };
  }
  if (error.code === 'unavailable' || error.code === 'unknown') {
    return {
      status: 'degraded',
      detail: `Slack cannot be reached: ${error.message}. It is tried again without end.`,
    };
  }
  return { status: 'failed', detail: `${error.message}.` };
}

function editKey(postKey: string, editedTs: string): string {
  return `${postKey} ${editedTs}`;
}

function reactionKey(channelId: string, ts: string, personId: string, emoji: string): string {
  return `${channelId} ${ts} ${personId} ${emoji}`;
}
