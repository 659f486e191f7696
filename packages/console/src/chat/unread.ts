import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { asRecord } from '../api/http.ts';
import type { LocalChannel } from '../api/local.ts';
import { storedValue, useStored } from '../lib/storage.ts';
import { chosenPerson } from './people.ts';
import { channelsQuery, timelineQuery } from './queries.ts';
import { unreadAfter } from './rows.ts';

/**
 * How far each person has read each channel. The chat's server keeps no such mark, so this browser does.
 * A person who is new here begins with everything read: old talk is not news.
 */
type Marks = Readonly<Record<string, Readonly<Record<string, string>>>>;

const marks = storedValue<Marks>('read', (found) => {
  const people = Object.entries(asRecord(found)).map(([person, channels]) => {
    const entries = Object.entries(asRecord(channels)).filter((entry): entry is [string, string] => {
      return typeof entry[1] === 'string';
    });
    return [person, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(people);
});

/** When the last message that was read was written; null for a channel never seen. */
export function readMark(personId: string | null, channelId: string): string | null {
  return personId === null ? null : (marks.read()[personId]?.[channelId] ?? null);
}

/** Marks never go back. */
export function markRead(personId: string, channelId: string, createdAt: string): void {
  const before = readMark(personId, channelId);
  if (before !== null && before >= createdAt) return;
  const all = marks.read();
  marks.write({ ...all, [personId]: { ...all[personId], [channelId]: createdAt } });
}

export interface ChannelActivity {
  readonly channel: LocalChannel;
  readonly unread: number;
  /** False while it is not known yet what is in the channel. */
  readonly settled: boolean;
  readonly last: {
    readonly at: string;
    readonly by: string;
    readonly text: string;
    readonly files: number;
  } | null;
}

/** More channels than this are listed without what is new in them. */
const MAX_WATCHED = 60;

/** All channels, the most lively first, each with what is new for the person who reads. */
export function useActivity(): readonly ChannelActivity[] {
  const channels = useQuery(channelsQuery).data ?? [];
  const person = useStored(chosenPerson);
  const read = useStored(marks);
  const me = person?.id ?? null;
  const timelines = useQueries({
    queries: channels.slice(0, MAX_WATCHED).map((channel) => timelineQuery(channel.id)),
  });

  const activity = channels.map((channel, index): ChannelActivity => {
    const messages = timelines[index]?.data?.messages ?? [];
    const mark = me === null ? undefined : read[me]?.[channel.id];
    const last = messages.findLast((message) => message.deleted_at === null);
    return {
      channel,
      settled: index >= MAX_WATCHED || timelines[index]?.isPending === false,
      unread: mark === undefined ? 0 : unreadAfter(messages, mark, me).length,
      last:
        last === undefined
          ? null
          : { at: last.created_at, by: last.user.name, text: last.text, files: last.attachments.length },
    };
  });

  // The first sight of a channel is where its reading begins.
  useEffect(() => {
    if (me === null) return;
    for (const [index, channel] of channels.entries()) {
      const timeline = timelines[index]?.data;
      if (timeline === undefined || readMark(me, channel.id) !== null) continue;
      markRead(me, channel.id, timeline.messages.at(-1)?.created_at ?? '');
    }
  });

  return activity.sort((one, other) => {
    const [a, b] = [one, other].map(({ last, channel }) => last?.at ?? channel.created_at);
    return (b ?? '').localeCompare(a ?? '');
  });
}

export function useUnreadTotal(): number {
  return useActivity().reduce((total, { unread }) => total + unread, 0);
}
