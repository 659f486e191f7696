import { infiniteQueryOptions, queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { type DeliveryState, inboxApi } from '../api/inbox.ts';

/**
 * What the inbox pages read. The server pushes nothing here, so an open page asks again now and then, and one that
 * is opened always: what came a moment ago must be there.
 */

const live = { refetchInterval: 5_000, staleTime: 0 } as const;
const MESSAGE_PAGE = 50;
const QUARANTINE_PAGE = 50;
const DELIVERY_PAGE = 50;

export const channelsQuery = queryOptions({
  queryKey: ['inbox', 'channels'],
  queryFn: ({ signal }) => inboxApi.channels(signal),
  ...live,
});

export function messagesQuery(channelId: string) {
  return infiniteQueryOptions({
    queryKey: ['inbox', 'messages', channelId],
    queryFn: ({ pageParam, signal }) => inboxApi.messages(channelId, pageParam, MESSAGE_PAGE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    ...live,
  });
}

export const quarantineQuery = infiniteQueryOptions({
  queryKey: ['inbox', 'quarantine'],
  queryFn: ({ pageParam, signal }) => inboxApi.quarantine(pageParam, QUARANTINE_PAGE, signal),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => (page.length < QUARANTINE_PAGE ? null : (page.at(-1)?.id ?? null)),
  ...live,
});

export const allowlistQuery = queryOptions({
  queryKey: ['inbox', 'allowlist'],
  queryFn: ({ signal }) => inboxApi.allowlist(signal),
  ...live,
});

export const pairingsQuery = queryOptions({
  queryKey: ['inbox', 'pairings'],
  queryFn: ({ signal }) => inboxApi.pairings(signal),
  ...live,
});

export const agentsQuery = queryOptions({
  queryKey: ['inbox', 'agents'],
  queryFn: ({ signal }) => inboxApi.agents(signal),
  ...live,
});

export const tokensQuery = queryOptions({
  queryKey: ['inbox', 'tokens'],
  queryFn: ({ signal }) => inboxApi.tokens(signal),
  ...live,
});

export function deliveriesQuery(state: DeliveryState) {
  return infiniteQueryOptions({
    queryKey: ['inbox', 'deliveries', state],
    queryFn: ({ pageParam, signal }) => inboxApi.deliveries(state, pageParam, DELIVERY_PAGE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...live,
  });
}

/** How many messages wait for a decision, as far as the first page tells. */
export function useQuarantineCount(enabled: boolean): number {
  const { data } = useInfiniteQuery({ ...quarantineQuery, enabled });
  return data?.pages.reduce((total, page) => total + page.length, 0) ?? 0;
}
