import { queryOptions } from '@tanstack/react-query';
import { type LocalMessage, localApi, MAX_PAGE } from '../api/local.ts';
import { mergeMessages, type Timeline, withNewestPage } from './timeline.ts';

/** What the chat keeps in the query cache, and under which keys. */

export const FIRST_PAGE = 50;

export const channelsQuery = queryOptions({
  queryKey: ['local', 'channels'],
  queryFn: ({ signal }) => localApi.channels(signal),
});

export function timelineKey(channelId: string) {
  return ['local', 'timeline', channelId] as const;
}

/** The newest part of a channel. Events keep it fresh; reading again mends what they could not tell. */
export function timelineQuery(channelId: string) {
  return queryOptions({
    queryKey: timelineKey(channelId),
    staleTime: 60_000,
    async queryFn({ signal, client, queryKey }): Promise<Timeline> {
      const page = await localApi.messages({ channelId, limit: FIRST_PAGE }, signal);
      return withNewestPage(client.getQueryData<Timeline>(queryKey), page, FIRST_PAGE);
    },
  });
}

export function threadKey(channelId: string, rootId: string) {
  return ['local', 'thread', channelId, rootId] as const;
}

/** Bounds how far a long thread is read. */
const MAX_THREAD_PAGES = 10;

/** A thread from its root on, in pages; the root is the one message that is known without reading. */
export function threadQuery(channelId: string, rootId: string) {
  return queryOptions({
    queryKey: threadKey(channelId, rootId),
    staleTime: 60_000,
    async queryFn({ signal }): Promise<Timeline> {
      const newest = await localApi.messages({ channelId, threadId: rootId, limit: MAX_PAGE }, signal);
      if (newest.length < MAX_PAGE) return { messages: newest, atStart: true, atEnd: true };
      const messages: LocalMessage[] = newest.filter((message) => message.id === rootId);
      let after = rootId;
      for (let page = 0; page < MAX_THREAD_PAGES; page += 1) {
        const next = await localApi.messages({ channelId, threadId: rootId, after, limit: MAX_PAGE }, signal);
        messages.push(...next.filter((message) => message.id !== rootId));
        after = next.at(-1)?.id ?? after;
        if (next.length < MAX_PAGE) return { messages, atStart: true, atEnd: true };
      }
      return { messages, atStart: true, atEnd: false };
    },
  });
}

export function windowKey(channelId: string, messageId: string) {
  return ['local', 'window', channelId, messageId] as const;
}

/**
 * A channel from one message on, for a link to something older than the newest pages. The API has no way to
 * read one message, but any message names its thread, and a thread can be read.
 */
export function windowQuery(channelId: string, messageId: string) {
  return queryOptions({
    queryKey: windowKey(channelId, messageId),
    staleTime: 60_000,
    async queryFn({ signal }): Promise<Timeline> {
      const thread = await localApi.messages({ channelId, threadId: messageId, limit: MAX_PAGE }, signal);
      const later = await localApi.messages({ channelId, after: messageId, limit: MAX_PAGE }, signal);
      const message = thread.filter((candidate) => candidate.id === messageId);
      return { messages: mergeMessages(message, later), atStart: false, atEnd: later.length < MAX_PAGE };
    },
  });
}
