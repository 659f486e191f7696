import type { Post, PostReaction, PostRef } from '../platform.ts';
import type { SlackApi } from './api.ts';
import { isRefusedWith, orNull } from './errors.ts';
import { historyPages, replyPages } from './paging.ts';
import type { Directory } from './people.ts';
import { byAge, isShown, type PostReader } from './posts.ts';
import { messagePage, reactionsAnswer, type WireMessage } from './shapes.ts';
import { isTs } from './ts.ts';

export interface Reading {
  readPost(ref: PostRef): Promise<Post | null>;
  readThread(channelId: string, threadId: string, limit: number): Promise<Post[]>;
  readChannel(channelId: string, limit: number): Promise<Post[]>;
  reactions(ref: PostRef): Promise<PostReaction[]>;
}

/** Slack's largest page; a thread is read from its start, since it is listed from there only. */
const LARGEST_PAGE = 999;

export function reading(api: SlackApi, people: Directory, reader: PostReader): Reading {
  async function posts(channelId: string, messages: readonly WireMessage[]): Promise<Post[]> {
    const found: Post[] = [];
    for (const message of messages) found.push(await reader.read(channelId, message));
    return found;
  }

  return {
    async readPost({ channelId, postId }) {
      if (!isTs(postId)) return null;
      await people.self();
      const args = {
        channel: channelId,
        ts: postId,
        oldest: postId,
        latest: postId,
        inclusive: true,
        limit: 10,
      };
      const page = await orNull(api.call({ method: 'conversations.replies', args, schema: messagePage }));
      const message = page?.messages.find(({ ts }) => ts === postId);
      return message === undefined || !isShown(message) ? null : reader.read(channelId, message);
    },
    async readThread(channelId, threadId, limit) {
      await people.self();
      let newest: WireMessage[] = [];
      const read = async () => {
        for await (const { messages } of replyPages(api, { channelId, threadId, limit: LARGEST_PAGE })) {
          newest = withoutRepeats([...newest, ...messages.filter(isShown)])
            .sort(byAge)
            .slice(-limit);
        }
      };
      await orNull(read());
      return posts(channelId, newest);
    },
    async readChannel(channelId, limit) {
      await people.self();
      const newest: WireMessage[] = [];
      for await (const { messages } of historyPages(api, {
        channelId,
        limit: Math.min(limit, LARGEST_PAGE),
      })) {
        newest.push(...messages.filter(isShown));
        if (newest.length >= limit) break;
      }
      return posts(channelId, newest.slice(0, limit).sort(byAge));
    },
    async reactions({ channelId, postId }) {
      const self = await people.self();
      const found = await reactionsOn(api, { channelId, postId });
      return found.filter(({ personId }) => personId !== self.person.id);
    },
  };
}

/** The root may come with every page of a thread. */
export function withoutRepeats(messages: readonly WireMessage[]): WireMessage[] {
  return [...new Map(messages.map((message) => [message.ts, message])).values()];
}

/** All reactions on a post, the bot's too; none where the post is gone. */
export async function reactionsOn(
  api: SlackApi,
  ref: PostRef,
  signal?: AbortSignal,
): Promise<PostReaction[]> {
  const args = { channel: ref.channelId, timestamp: ref.postId, full: true };
  try {
    const { message } = await api.call({ method: 'reactions.get', args, schema: reactionsAnswer, signal });
    return (message.reactions ?? []).flatMap(({ name, users }) =>
      users.map((personId) => ({ emoji: name, personId })),
    );
  } catch (error) {
    if (isRefusedWith(error, 'message_not_found', 'channel_not_found', 'not_in_channel')) return [];
    throw error;
  }
}
