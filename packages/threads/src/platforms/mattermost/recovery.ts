import { z } from 'zod';
import type { PlatformEvent, PlatformFeed } from '../platform.ts';
import { RecentMap } from '../remembered.ts';
import { isMattermostId } from './address.ts';
import type { MattermostApi } from './api.ts';
import { orNull } from './directory.ts';
import { channelPages, threadPages, wireReactions } from './reading.ts';
import { byAge, type WirePost, wireChannel } from './wire.ts';

/** What of the missed is kept at once; a longer gap is worked off in several goes. */
const MOST_AT_ONCE = 5_000;

export interface MissedPosts {
  /** By age, oldest first. */
  readonly posts: WirePost[];
  /** Whether younger ones were left for the next go. */
  readonly isCut: boolean;
}

export interface GapOptions {
  readonly api: MattermostApi;
  readonly channelId: string;
  readonly feed: PlatformFeed;
  readonly signal: AbortSignal;
  /** Milliseconds: nothing older was missed. */
  readonly floorMs: number;
  isDone(post: WirePost): boolean;
}

/** Posts that were not handed over: in the bot's channel, in its direct conversations and in watched threads. */
export async function missedPosts(options: GapOptions, mostAtOnce = MOST_AT_ONCE): Promise<MissedPosts> {
  const { api, channelId, feed, signal, floorMs, isDone } = options;
  const found = new Map<string, WirePost>();
  let isCut = false;
  const keep = (posts: readonly WirePost[]) => {
    for (const post of posts) {
      if (post.create_at >= floorMs && post.delete_at === 0 && !isDone(post)) found.set(post.id, post);
    }
    if (found.size <= mostAtOnce) return;
    isCut = true;
    const kept = [...found.values()].sort(byAge).slice(0, mostAtOnce);
    found.clear();
    for (const post of kept) found.set(post.id, post);
  };
  for (const id of [channelId, ...(await activeDirectChannels(api, floorMs, signal))]) {
    for await (const page of channelPages(api, id, signal)) {
      keep(page);
      if (page.some(({ create_at }) => create_at < floorMs)) break;
    }
  }
  for (const { threadId } of await feed.watchedThreads()) {
    if (!isMattermostId(threadId)) continue;
    for await (const page of threadPages(api, threadId, { afterMs: floorMs - 1, signal })) keep(page);
  }
  return { posts: [...found.values()].sort(byAge), isCut };
}

/** Direct conversations of the bot in which something was posted since. */
async function activeDirectChannels(
  api: MattermostApi,
  sinceMs: number,
  signal: AbortSignal,
): Promise<string[]> {
  return (await directChannels(api, signal))
    .filter(({ last_post_at }) => last_post_at >= sinceMs)
    .map(({ id }) => id);
}

async function directChannels(api: MattermostApi, signal: AbortSignal) {
  // Servers before 6.1 do not have this list; there, direct messages of a gap are not fetched.
  const channels = await orNull(
    api.call({
      name: 'read the channels of the bot',
      path: '/users/me/channels',
      schema: z.array(wireChannel),
      signal,
    }),
  );
  return (channels ?? []).filter(({ type }) => type === 'D');
}

/** When the newest post there is was written, in the server's milliseconds. */
export async function newestPostMs(
  api: MattermostApi,
  channelId: string,
  signal: AbortSignal,
): Promise<number> {
  const times = (await directChannels(api, signal)).map(({ last_post_at }) => last_post_at);
  for await (const posts of channelPages(api, channelId, signal)) {
    times.push(...posts.map(({ create_at }) => create_at));
    break;
  }
  return Math.max(0, ...times);
}

/** Reactions on watched posts that came or went meanwhile, by age. */
export async function missedReactions(
  { api, feed, signal }: Pick<GapOptions, 'api' | 'feed' | 'signal'>,
  selfId: string,
  told: ToldReactions,
): Promise<PlatformEvent[]> {
  const events: PlatformEvent[] = [];
  for (const ref of await feed.watchedPosts()) {
    if (!isMattermostId(ref.postId)) continue;
    const now = (await wireReactions(api, ref.postId, signal)).filter(({ user_id }) => user_id !== selfId);
    const keys = new Set(now.map(({ user_id, emoji_name }) => reactionKey(user_id, emoji_name)));
    for (const key of told.of(ref.postId)) {
      if (keys.has(key)) continue;
      events.push({ kind: 'unreacted', ref, ...readReactionKey(key) });
    }
    for (const { user_id, emoji_name } of now.sort((one, other) => one.create_at - other.create_at)) {
      if (told.has(ref.postId, reactionKey(user_id, emoji_name))) continue;
      events.push({ kind: 'reacted', ref, personId: user_id, emoji: emoji_name });
    }
  }
  return events;
}

/** Reactions that were handed over and not taken back, on the posts that were reacted to last. */
export interface ToldReactions {
  has(postId: string, key: string): boolean;
  of(postId: string): readonly string[];
  add(postId: string, key: string): void;
  delete(postId: string, key: string): void;
}

const MOST_POSTS = 2_000;
const MOST_ON_A_POST = 2_000;

export function toldReactions(): ToldReactions {
  const posts = new RecentMap<Set<string>>(MOST_POSTS);
  return {
    has: (postId, key) => posts.get(postId)?.has(key) ?? false,
    of: (postId) => [...(posts.get(postId) ?? [])],
    add(postId, key) {
      const keys = posts.get(postId) ?? new Set<string>();
      if (keys.size < MOST_ON_A_POST) keys.add(key);
      posts.set(postId, keys);
    },
    delete: (postId, key) => void posts.get(postId)?.delete(key),
  };
}

export function reactionKey(personId: string, emoji: string): string {
  return `${personId} ${emoji}`;
}

function readReactionKey(key: string): { personId: string; emoji: string } {
  const [personId = '', emoji = ''] = key.split(' ');
  return { personId, emoji };
}
