import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { localApi, MAX_PAGE } from '../api/local.ts';
import { timelineKey, timelineQuery, windowKey, windowQuery } from './queries.ts';
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
  /** Null at the beginning. */
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
    mutationFn: (before: string) => localApi.messages({ channelId, before, limit: MAX_PAGE }),
    onSuccess(page) {
      const key = isPast ? windowKey(channelId, messageId ?? '') : timelineKey(channelId);
      client.setQueryData<Timeline>(key, (timeline) => ({
        messages: mergeMessages(timeline?.messages ?? [], page),
        atStart: page.length < MAX_PAGE,
        atEnd: timeline?.atEnd ?? true,
      }));
    },
  });

  const newer = useMutation({
    mutationFn: (after: string) => localApi.messages({ channelId, after, limit: MAX_PAGE }),
    onSuccess(page) {
      client.setQueryData<Timeline>(windowKey(channelId, messageId ?? ''), (timeline) => ({
        messages: mergeMessages(timeline?.messages ?? [], page),
        atStart: timeline?.atStart ?? false,
        atEnd: page.length < MAX_PAGE,
      }));
    },
  });

  const { mutate: fetchOlder } = older;
  const first = shown.data?.messages[0]?.id;
  const loadOlder = useCallback(() => {
    if (first !== undefined) fetchOlder(first);
  }, [fetchOlder, first]);
  const { mutate: fetchNewer } = newer;
  const last = past.data?.messages.at(-1)?.id;
  const loadNewer = useCallback(() => {
    if (last !== undefined) fetchNewer(last);
  }, [fetchNewer, last]);

  const { data } = shown;
  const reachesFurther = first !== undefined && data !== undefined && !data.atStart;
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
