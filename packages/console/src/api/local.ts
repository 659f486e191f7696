import { request } from './http.ts';

/** The people's side of the local chat. Shapes are those of its routes under `/local/api`. */

export interface Person {
  readonly id: string;
  readonly name: string;
}

export type ChannelType = 'dm' | 'group';

export interface LocalChannel {
  /** `local:<name>` */
  readonly id: string;
  readonly name: string;
  readonly type: ChannelType;
  readonly members: readonly Person[];
  readonly created_at: string;
}

export interface LocalAttachment {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly size_bytes: number;
  readonly url: string;
}

export interface Reaction {
  /** A name (`+1`), perhaps with a tone (`+1::skin-tone-3`). */
  readonly emoji: string;
  readonly user_ids: readonly string[];
}

export interface LocalMessage {
  readonly id: string;
  readonly channel_id: string;
  /** The thread's root; null on a root. */
  readonly thread_id: string | null;
  readonly user: Person;
  readonly text: string;
  readonly reply_to: string | null;
  readonly attachments: readonly LocalAttachment[];
  readonly reactions: readonly Reaction[];
  readonly created_at: string;
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  /** `<public URL>/chat/<channel name>/<message id>` */
  readonly permalink: string;
}

export interface NewAttachment {
  readonly name: string;
  readonly mime: string;
  /** Base64. */
  readonly data: string;
}

export interface NewMessage {
  readonly channel_id: string;
  readonly user: Person;
  readonly text: string;
  readonly thread_id?: string;
  readonly reply_to?: string;
  readonly attachments?: readonly NewAttachment[];
}

export interface NewChannel {
  readonly name: string;
  readonly type: ChannelType;
  readonly members?: readonly Person[];
}

export interface MessageQuery {
  readonly channelId: string;
  readonly threadId?: string;
  /** Exclusive; without it the newest messages are answered. */
  readonly after?: string;
  /** Exclusive: the newest messages older than this one. Not beside `after`. */
  readonly before?: string;
  /** 1 to 200. */
  readonly limit: number;
}

/** Largest page the route gives. */
export const MAX_PAGE = 200;

const BASE = '/local/api';

function reactionPath(messageId: string, emoji?: string): string {
  const path = `${BASE}/messages/${encodeURIComponent(messageId)}/reactions`;
  return emoji === undefined ? path : `${path}/${encodeURIComponent(emoji)}`;
}

export const localApi = {
  eventsUrl: `${BASE}/events`,

  async channels(signal?: AbortSignal): Promise<readonly LocalChannel[]> {
    const answer = await request<{ data: LocalChannel[] }>('GET', `${BASE}/channels`, { signal });
    return answer.data;
  },

  /** Answers the channel that exists under this name, with the members added. */
  createChannel: (channel: NewChannel) =>
    request<LocalChannel>('POST', `${BASE}/channels`, { body: channel }),

  /** Oldest first. */
  async messages(query: MessageQuery, signal?: AbortSignal): Promise<readonly LocalMessage[]> {
    const answer = await request<{ data: LocalMessage[] }>('GET', `${BASE}/messages`, {
      query: {
        channel_id: query.channelId,
        thread_id: query.threadId,
        after: query.after,
        before: query.before,
        limit: query.limit,
      },
      signal,
    });
    return answer.data;
  },

  /** Sending again with the same key answers the message that is there. */
  send: (message: NewMessage, key: string) =>
    request<LocalMessage>('POST', `${BASE}/messages`, { body: message, headers: { 'idempotency-key': key } }),

  edit: (id: string, userId: string, text: string) =>
    request<LocalMessage>('PATCH', `${BASE}/messages/${encodeURIComponent(id)}`, {
      body: { user_id: userId, text },
    }),

  remove: (id: string, userId: string) =>
    request<LocalMessage>('DELETE', `${BASE}/messages/${encodeURIComponent(id)}`, {
      query: { user_id: userId },
    }),

  react: (messageId: string, userId: string, emoji: string) =>
    request<LocalMessage>('POST', reactionPath(messageId), { body: { user_id: userId, emoji } }),

  unreact: (messageId: string, userId: string, emoji: string) =>
    request<LocalMessage>('DELETE', reactionPath(messageId, emoji), { query: { user_id: userId } }),
};
