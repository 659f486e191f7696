import { type Clock, Failure, type Random } from '@postern/kit';
import type { PlatformEvent, PlatformFeed, PlatformHealth } from '../platform.ts';
import { backoffMs } from '../retry.ts';
import type { LocalChat, LocalEvent, LocalPerson } from './chat.ts';
import type { Translator } from './posts.ts';

/**
 * The chat's event log handed over to sessions. The log is the memory: whoever comes back reads on from the cursor,
 * so there is no gap to fetch, and each change is told once.
 */

export interface FollowOptions {
  readonly chat: LocalChat;
  readonly channelId: string;
  /** Whether direct messages are told too. */
  readonly directMessages: boolean;
  readonly bot: LocalPerson;
  readonly translate: Translator;
  readonly clock: Clock;
  readonly random: Random;
  /** The first wait after a failure, in milliseconds. */
  readonly firstPauseMs: number;
  report(health: PlatformHealth): void;
}

/** Events that are read at once. */
const PAGE = 200;
/** Ids of direct messages begin so. */
export const DIRECT_PREFIX = 'local:dm-';

/** Follows the log until the signal aborts; whatever fails is tried again after a pause, without end. */
export async function follow(options: FollowOptions, feed: PlatformFeed, signal: AbortSignal): Promise<void> {
  const { chat, channelId, bot, clock, random, report } = options;

  /** Until it succeeds; null once the signal has aborted. */
  async function persist<Result>(attempt: () => Promise<Result>, detail: string): Promise<Result | null> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const result = await attempt();
        report({ status: 'ok' });
        return result;
      } catch (error) {
        if (signal.aborted) break;
        // A refusal says why; what a database says is for its own log.
        await pause(failures, error instanceof Failure ? error.message : detail);
      }
    }
    return null;
  }

  async function pause(failures: number, detail: string): Promise<void> {
    report({ status: 'degraded', detail });
    await clock.sleep(backoffMs(failures, random, { firstMs: options.firstPauseMs }), signal);
  }

  const handOver = (event: PlatformEvent, cursor: string | null) =>
    persist(() => feed.handle(event, cursor), 'events cannot be recorded');

  async function begin(): Promise<number> {
    await chat.join(channelId, bot);
    const saved = await feed.cursor();
    if (saved !== null) return Number(saved);
    const newest = await chat.newestCursor();
    await feed.saveCursor(String(newest));
    return newest;
  }

  /** What the log has forgotten of reactions is read from the posts that wait for one. */
  async function missedReactions(cursor: number): Promise<PlatformEvent[]> {
    if (cursor >= (await chat.oldestCursor())) return [];
    const events: PlatformEvent[] = [];
    for (const ref of await feed.watchedPosts()) {
      const message = await chat.message(ref.postId);
      for (const { emoji, user_ids } of message?.reactions ?? []) {
        for (const personId of user_ids) {
          if (personId !== bot.id) events.push({ kind: 'reacted', ref, personId, emoji });
        }
      }
    }
    return events;
  }

  const isOurs = (event: LocalEvent) =>
    event.channelId === channelId || (options.directMessages && event.channelId.startsWith(DIRECT_PREFIX));

  const away = 'the embedded chat cannot be read';
  const start = await persist(begin, away);
  if (start === null) return;
  let cursor = start;
  let recorded = start;
  for (const event of (await persist(() => missedReactions(start), away)) ?? []) await handOver(event, null);

  while (!signal.aborted) {
    const events = await persist(() => chat.eventsAfter(cursor, PAGE), away);
    if (events === null) return;
    if (events.length === 0) {
      // Whether it can be read again is seen by reading, not by waiting, which may take for ever.
      await chat.waitForEvents(cursor, signal).catch(() => pause(1, away));
      continue;
    }
    for (const event of events) {
      const told = isOurs(event) ? await persist(() => options.translate.event(event), away) : null;
      if (signal.aborted) return;
      if (told !== null) {
        if ((await handOver(told, String(event.cursor))) === null) return;
        recorded = event.cursor;
      }
      cursor = event.cursor;
    }
    if (recorded < cursor) {
      await persist(() => feed.saveCursor(String(cursor)), 'events cannot be recorded');
      recorded = cursor;
    }
  }
}
