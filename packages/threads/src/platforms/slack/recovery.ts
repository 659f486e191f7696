import type { PlatformFeed, PostReaction, PostRef } from '../platform.ts';
import type { SlackApi } from './api.ts';
import { isRefusedWith, orNull } from './errors.ts';
import { historyPages, pages, replyPages } from './paging.ts';
import { byAge, isShown } from './posts.ts';
import { reactionsOn } from './reading.ts';
import { channelPage, type WireMessage } from './shapes.ts';
import { compareTs, tsBefore } from './ts.ts';

export interface GapOptions {
  readonly api: SlackApi;
  readonly channelId: string;
  readonly feed: PlatformFeed;
  readonly signal: AbortSignal;
  /** Everything up to this post is on record. */
  readonly floor: string;
}

export interface MissedPost {
  readonly channelId: string;
  readonly message: WireMessage;
  /** False for one from before the gap that was edited in it. */
  readonly isNew: boolean;
}

/**
 * A thread may get replies long after its root, and history lists roots only, by their own age. So roots of this time
 * before the gap are looked at too for the time of their newest reply.
 */
const ROOTS_BEFORE_S = 3 * 24 * 60 * 60;

/** All that was posted or edited since, oldest first: in the channel, in threads, in direct conversations. */
export async function missedPosts(options: GapOptions): Promise<MissedPost[]> {
  const { api, channelId, feed, floor, signal } = options;
  const found = new Map<string, MissedPost>();
  const keep = (channel: string, message: WireMessage, after: string) => {
    if (!isShown(message)) return;
    const isNew = compareTs(message.ts, after) > 0;
    const isEdited = message.edited != null && compareTs(message.edited.ts, after) > 0;
    if (!isNew && !isEdited) return;
    found.set(`${channel} ${message.ts}`, { channelId: channel, message, isNew });
  };
  const threads = new Map<string, { channelId: string; threadId: string; after: string }>();
  const look = (channel: string, threadId: string, after: string) => {
    const key = `${channel} ${threadId}`;
    const before = threads.get(key);
    if (before === undefined || compareTs(after, before.after) < 0) {
      threads.set(key, { channelId: channel, threadId, after });
    }
  };

  const oldest = tsBefore(floor, ROOTS_BEFORE_S);
  for (const channel of [channelId, ...(await directChannels(api, signal))]) {
    const read = async () => {
      for await (const { messages } of historyPages(api, { channelId: channel, oldest, signal })) {
        for (const message of messages) {
          keep(channel, message, floor);
          const { latest_reply } = message;
          if (latest_reply !== undefined && compareTs(latest_reply, floor) > 0)
            look(channel, message.ts, floor);
        }
      }
    };
    // A direct conversation that is closed is none to wait for; without the bot's own channel there is no recovery.
    await (channel === channelId ? read() : orNull(read()));
  }
  for (const { channelId: channel, threadId, afterPostId } of await feed.watchedThreads()) {
    look(channel, threadId, afterPostId ?? floor);
  }
  for (const { channelId: channel, threadId, after } of threads.values()) {
    const read = async () => {
      for await (const { messages } of replyPages(api, {
        channelId: channel,
        threadId,
        oldest: after,
        signal,
      })) {
        for (const message of messages) keep(channel, message, message.ts === threadId ? floor : after);
      }
    };
    // A thread whose root is gone has nothing more to tell.
    await orNull(read());
  }
  return [...found.values()].sort((left, right) => byAge(left.message, right.message));
}

/** None where the app may not list them; then it has no direct conversations either. */
async function directChannels(api: SlackApi, signal: AbortSignal): Promise<string[]> {
  try {
    return await listDirectChannels(api, signal);
  } catch (error) {
    if (isRefusedWith(error, 'missing_scope')) return [];
    throw error;
  }
}

async function listDirectChannels(api: SlackApi, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  const all = pages((cursor) =>
    api.call({
      method: 'users.conversations',
      args: { types: 'im', limit: 200, ...(cursor === undefined ? {} : { cursor }) },
      schema: channelPage,
      signal,
    }),
  );
  for await (const { channels } of all) ids.push(...channels.map(({ id }) => id));
  return ids;
}

/** Reactions on the posts that wait for one, whoever put them there. */
export async function missedReactions(
  api: SlackApi,
  feed: PlatformFeed,
  signal: AbortSignal,
): Promise<(PostReaction & { readonly ref: PostRef })[]> {
  const found: (PostReaction & { readonly ref: PostRef })[] = [];
  for (const ref of await feed.watchedPosts()) {
    for (const reaction of await reactionsOn(api, ref, signal)) found.push({ ...reaction, ref });
  }
  return found;
}
