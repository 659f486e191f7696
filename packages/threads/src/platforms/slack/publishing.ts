import { type Clock, nowMilliseconds } from '@postern/kit';
import { z } from 'zod';
import { type OutgoingPost, PlatformError, type PostRef } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import type { SlackApi } from './api.ts';
import { isRefusedWith } from './errors.ts';
import { toMrkdwn } from './mrkdwn.ts';
import { historyPages, replyPages } from './paging.ts';
import { doneAnswer, type WireMessage } from './shapes.ts';
import { tsMs } from './ts.ts';

export interface Publishing {
  /** From now on this process alone posts; until now another one may have. */
  takeOver(): void;
  post(message: OutgoingPost): Promise<PostRef>;
  edit(ref: PostRef, markdown: string): Promise<void>;
  delete(ref: PostRef): Promise<void>;
  react(ref: PostRef, emoji: string): Promise<void>;
  unreact(ref: PostRef, emoji: string): Promise<void>;
  pin(ref: PostRef): Promise<void>;
  /** A post of a thread, or of the channel, made lately; null when there is none. @throws PlatformError */
  findLately(place: Place, matches: (message: WireMessage) => boolean): Promise<PostRef | null>;
}

export interface Place {
  readonly channelId: string;
  readonly threadId: string | null;
}

export interface PublishingOptions {
  readonly api: SlackApi;
  readonly clock: Clock;
  newKey(): string;
  /** How long an answer that was lost is given to take effect before it is looked for. */
  readonly lookAfterMs: number;
}

/**
 * chat.update refuses texts above 4,000 characters, where chat.postMessage takes ten times as many. A post that is
 * being written must stay one that can be edited; the rest is for a mark that the output adds.
 */
export const MESSAGE_LIMIT = 3_900;

const EVENT_TYPE = 'postern_post';
const TRIES = 3;
/** Clocks differ by less than this. */
const LATELY_MS = 10 * 60_000;
/** A post that an earlier process may have made is made again within this time or never. */
const EARLIER_MS = 24 * 60 * 60_000;
const MOST_KEYS = 5_000;
const MOST_PLACES = 1_000;

export function publishing({ api, clock, newKey, lookAfterMs }: PublishingOptions): Publishing {
  let tookOverMs = nowMilliseconds(clock);
  const made = new RecentMap<Promise<PostRef>>(MOST_KEYS);
  const isUncertain = new RecentMap<true>(MOST_KEYS);
  let searched = new RecentMap<Promise<void>>(MOST_PLACES);

  async function* postsSince({ channelId, threadId }: Place, sinceMs: number) {
    const seconds = Math.max(0, Math.floor((nowMilliseconds(clock) - sinceMs) / 1_000));
    const options = { channelId, oldest: `${seconds}.000000`, withMetadata: true };
    const all = threadId === null ? historyPages(api, options) : replyPages(api, { ...options, threadId });
    for await (const { messages } of all) yield* messages;
  }

  async function findLately(place: Place, matches: (message: WireMessage) => boolean) {
    for await (const message of postsSince(place, LATELY_MS)) {
      if (matches(message)) return { channelId: place.channelId, postId: message.ts };
    }
    return null;
  }

  /** What an earlier process posted in a place that is older than this one; asked once for each. */
  function learnEarlier(place: Place): Promise<void> {
    const { channelId, threadId } = place;
    if (threadId !== null && tsMs(threadId) > tookOverMs + LATELY_MS) return Promise.resolve();
    const name = `${channelId} ${threadId ?? ''}`;
    const before = searched.get(name);
    if (before !== undefined) return before;
    const search = (async () => {
      for await (const message of postsSince(place, EARLIER_MS)) {
        const key = keyOf(message);
        if (key !== null) made.set(madeKey(place, key), Promise.resolve({ channelId, postId: message.ts }));
      }
    })().catch((error: unknown) => {
      searched.delete(name);
      // Who may not read there, or where nothing is, learns nothing; the post itself will tell.
      if (error instanceof PlatformError && ['unauthorized', 'not_found', 'refused'].includes(error.code))
        return;
      throw error;
    });
    searched.set(name, search);
    return search;
  }

  async function send(place: Place, text: string, key: string): Promise<PostRef> {
    const { channelId, threadId } = place;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { ts } = await api.call({
          method: 'chat.postMessage',
          args: {
            channel: channelId,
            text,
            ...(threadId === null ? {} : { thread_ts: threadId }),
            parse: 'none',
            unfurl_links: false,
            unfurl_media: false,
            metadata: { event_type: EVENT_TYPE, event_payload: { key } },
          },
          schema: z.object({ ts: z.string() }),
          isIdempotent: false,
        });
        return { channelId, postId: ts };
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== 'unknown') throw error;
        const found = await look(place, key, error);
        if (found !== null) return found;
        if (attempt === TRIES) throw error;
      }
    }
  }

  /** @throws the error it was called for, when there is no looking. */
  async function look(place: Place, key: string, lost: PlatformError): Promise<PostRef | null> {
    await clock.sleep(lookAfterMs);
    try {
      return await findLately(place, (message) => keyOf(message) === key);
    } catch {
      throw lost;
    }
  }

  async function post({ channelId, threadId, markdown, key }: OutgoingPost): Promise<PostRef> {
    const text = rendered(markdown);
    const place = { channelId, threadId };
    if (key === undefined) return send(place, text, newKey());
    const name = madeKey(place, key);
    if (isUncertain.has(name)) {
      const found = await findLately(place, (message) => keyOf(message) === key);
      isUncertain.delete(name);
      if (found !== null) made.set(name, Promise.resolve(found));
    } else {
      await learnEarlier(place);
    }
    const before = made.get(name);
    if (before !== undefined) return before;
    const sent = send(place, text, key);
    made.set(name, sent);
    sent.catch((error: unknown) => {
      made.delete(name);
      if (error instanceof PlatformError && error.code === 'unknown') isUncertain.set(name, true);
    });
    return sent;
  }

  async function reaction(method: 'reactions.add' | 'reactions.remove', ref: PostRef, emoji: string) {
    const args = { channel: ref.channelId, timestamp: ref.postId, name: emoji.replaceAll(':', '') };
    await unlessAlready(api.call({ method, args, schema: doneAnswer }), 'already_reacted', 'no_reaction');
  }

  return {
    takeOver() {
      tookOverMs = nowMilliseconds(clock);
      searched = new RecentMap(MOST_PLACES);
    },
    post,
    async edit({ channelId, postId }, markdown) {
      const args = { channel: channelId, ts: postId, text: rendered(markdown), parse: 'none' };
      await api.call({ method: 'chat.update', args, schema: doneAnswer });
    },
    async delete({ channelId, postId }) {
      const args = { channel: channelId, ts: postId };
      const call = api.call({ method: 'chat.delete', args, schema: doneAnswer });
      await unlessAlready(call, 'message_not_found');
    },
    react: (ref, emoji) => reaction('reactions.add', ref, emoji),
    unreact: (ref, emoji) => reaction('reactions.remove', ref, emoji),
    async pin({ channelId, postId }) {
      const args = { channel: channelId, timestamp: postId };
      await unlessAlready(api.call({ method: 'pins.add', args, schema: doneAnswer }), 'already_pinned');
    },
    findLately,
  };
}

/** Slack's form of a text that is to be one message. @throws PlatformError */
export function rendered(markdown: string): string {
  const text = toMrkdwn(markdown);
  if (text.trim() === '') throw new PlatformError('refused', 'a post needs a text');
  if (text.length > MESSAGE_LIMIT)
    throw new PlatformError('too_large', 'the text is too long for one message');
  return text;
}

function keyOf({ metadata }: WireMessage): string | null {
  if (metadata?.event_type !== EVENT_TYPE) return null;
  const key = metadata.event_payload?.key;
  return typeof key === 'string' ? key : null;
}

function madeKey({ channelId, threadId }: Place, key: string): string {
  return `${channelId} ${threadId ?? ''} ${key}`;
}

async function unlessAlready(work: Promise<unknown>, ...reasons: readonly string[]): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isRefusedWith(error, ...reasons)) throw error;
  }
}
