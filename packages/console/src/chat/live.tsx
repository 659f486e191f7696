import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { openEventStream, type StreamStatus } from '../api/event-stream.ts';
import { type LocalMessage, localApi, type Person } from '../api/local.ts';
import { storedValue } from '../lib/storage.ts';
import { encodeFile } from './files.ts';
import { createOutbox, type Outbox, type Outgoing, parseOutbox } from './outbox.ts';
import { channelsQuery } from './queries.ts';
import { applyEvent, type ChatEvent, parseChatEvent, type Timeline } from './timeline.ts';
import { createTyping, type Typing } from './typing.ts';

/** What is alive while someone is signed in: the event stream, who types, and messages on their way out. */
interface Live {
  readonly outbox: Outbox;
  readonly typing: Typing;
  readonly status: StreamStatus;
}

const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('useLive is for what is inside LiveProvider');
  return live;
}

export function useOutgoing(): readonly Outgoing[] {
  const { outbox } = useLive();
  return useSyncExternalStore(outbox.subscribe, outbox.read);
}

export function useTyping(channelId: string): readonly Person[] {
  const { typing } = useLive();
  return useSyncExternalStore(typing.subscribe, () => typing.read(channelId));
}

/** Applies an event to everything in the cache that shows the channel. */
export function applyToCache(client: QueryClient, event: ChatEvent): void {
  if (event.type === 'typing') return;
  const channelId = 'message' in event ? event.message.channel_id : event.channelId;
  for (const query of client.getQueryCache().findAll({ queryKey: ['local'] })) {
    const [, kind, channel, id] = query.queryKey;
    if (channel !== channelId) continue;
    const within = kind === 'thread' && typeof id === 'string' ? id : null;
    client.setQueryData<Timeline>(query.queryKey, (timeline) =>
      timeline === undefined ? undefined : applyEvent(timeline, event, within),
    );
  }
}

/** A channel or member this page has not heard of came with the message. */
function knowsSpeaker(client: QueryClient, message: LocalMessage): boolean {
  const channels = client.getQueryData(channelsQuery.queryKey);
  const channel = channels?.find((candidate) => candidate.id === message.channel_id);
  return channel?.members.some((member) => member.id === message.user.id) ?? false;
}

function makeOutbox(client: QueryClient): Outbox {
  return createOutbox({
    send: localApi.send,
    onSent: (message) => applyToCache(client, { type: 'message.created', message }),
    encode: encodeFile,
    now: () => new Date(),
    newKey: () => `out-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
    stored: storedValue('outbox', parseOutbox, 'tab'),
  });
}

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [outbox] = useState(() => makeOutbox(client));
  const [typing] = useState(createTyping);
  const [status, setStatus] = useState<StreamStatus>('connecting');

  useEffect(() => {
    return openEventStream({
      url: localApi.eventsUrl,
      onStatus(next) {
        setStatus(next);
        // What happened between a page that was read and the stream's first event is in neither; and a
        // resumed stream leaves out what the server's log has dropped. Reading again mends both.
        if (next === 'live') void client.invalidateQueries({ queryKey: ['local'] });
      },
      onEvent({ type, data }) {
        const event = parseChatEvent(type, data);
        if (event === null) return;
        if (event.type === 'typing') return typing.started(event.channelId, event.user);
        if (event.type === 'message.created') {
          typing.stopped(event.message.channel_id, event.message.user.id);
          outbox.arrived(event.message);
          if (!knowsSpeaker(client, event.message)) void client.invalidateQueries(channelsQuery);
        }
        applyToCache(client, event);
      },
    });
  }, [client, outbox, typing]);

  const live = useMemo(() => ({ outbox, typing, status }), [outbox, typing, status]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
