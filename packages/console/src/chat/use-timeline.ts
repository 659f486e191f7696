import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { localApi, MAX_PAGE } from '../api/local.ts';
import { longestNewestPage, timelineKey, timelineQuery, windowKey, windowQuery } from './queries.ts';
import { mergeMessages, type Timeline } from './timeline.ts';

export interface ShownTimeline {
  /** Undefined while the first page is on its way. */
  readonly timeline: Timeline | undefined;
  readonly error: unknown;
  readonly retrying: boolean;
  readonly retry: () => void;
  /** A stretch of the past that a link led to, rather than the newest messages. */
  readonly isPast: boolean;
  /** The linked message is nowhere. */
  readonly missing: boolean;
  /** Null when the API can't reach further back. */
  readonly loadOlder: (() => void) | null;
  readonly loadingOlder: boolean;
  readonly loadNewer: (() => void) | null;
  readonly loadingNewer: boolean;
}

/** The newest messages of a channel, or the stretch around a linked message that is older than them. */
export function useTimeline(channelId: string, messageId: string | null): ShownTimeline {
  const client = useQueryClient();
  const newest = useQuery(timelineQuery(channelId));
  const known = newest.data?.messages.some((message) => message.id === messageId) ?? false;
  const isPast = messageId !== null && newest.data !== undefined && !known && !newest.data.atStart;
  const past = useQuery({ ...windowQuery(channelId, messageId ?? ''), enabled: isPast });
  const shown = isPast ? past : newest;

  const older = useMutation({
    mutationFn: () => longestNewestPage(channelId),
    onSuccess(page) {
      client.setQueryData<Timeline>(timelineKey(channelId), (timeline) => ({
        messages: mergeMessages(timeline?.messages ?? [], page.messages),
        atStart: page.atStart,
        atEnd: true,
      }));
    },
  });

  const newer = useMutation({
    mutationFn: (after: string) => localApi.messages({ channelId, after, limit: MAX_PAGE }),
    onSuccess(page) {
      client.setQueryData<Timeline>(windowKey(channelId, messageId ?? ''), (timeline) => ({
        messages: mergeMessages(timeline?.messages ?? [], page),
        atStart: false,
        atEnd: page.length < MAX_PAGE,
      }));
    },
  });

  const { mutate: fetchOlder } = older;
  const loadOlder = useCallback(() => fetchOlder(), [fetchOlder]);
  const { mutate: fetchNewer } = newer;
  const last = past.data?.messages.at(-1)?.id;
  const loadNewer = useCallback(() => {
    if (last !== undefined) fetchNewer(last);
  }, [fetchNewer, last]);

  const { data } = shown;
  const reachesFurther = !isPast && data !== undefined && !data.atStart && data.messages.length < MAX_PAGE;
  const missingHere =
    messageId !== null && data !== undefined && !data.messages.some(({ id }) => id === messageId);
  return {
    timeline: data,
    error: shown.error,
    retrying: shown.isFetching,
    retry: () => void shown.refetch(),
    isPast,
    missing: missingHere,
    loadOlder: reachesFurther ? loadOlder : null,
    loadingOlder: older.isPending,
    loadNewer: isPast && data !== undefined && !data.atEnd ? loadNewer : null,
    loadingNewer: newer.isPending,
  };
}
