import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Memory, type MemoryChannel, type MemoryPlace, memoryApi } from '../api/memory.ts';
import { counted } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { ForgetDialog, MemoryDialog } from './memory-dialogs.tsx';
import { threadsKey } from './queries.ts';

const channelsQuery = queryOptions({
  queryKey: [threadsKey, 'memory', 'channels'],
  queryFn: ({ signal }) => memoryApi.channels(signal),
  refetchInterval: 15_000,
  staleTime: 0,
});

function memoryQuery({ platform_id, channel_id }: MemoryPlace) {
  return queryOptions({
    queryKey: [threadsKey, 'memory', platform_id, channel_id],
    queryFn: ({ signal }) => memoryApi.list({ platform_id, channel_id }, signal),
    refetchInterval: 15_000,
    staleTime: 0,
  });
}

/** What the agents of each channel are told when a session begins, and who wrote it. */
export function MemorySection() {
  const channels = useQuery(channelsQuery);
  return (
    <Section
      title="Memory"
      intro={
        <>
          Facts that the agents of a channel are told as background when a session begins. People add them
          with <code>!remember</code>, agents with <code>remember_fact</code>, and ended sessions leave some
          behind.
        </>
      }
    >
      <Loaded query={channels} what="the channels">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="file" title="No channel, no memory">
              <p>Each channel that a platform of postern.yaml listens in has a memory of its own.</p>
            </Empty>
          ) : (
            <OfChannels channels={list} />
          )
        }
      </Loaded>
    </Section>
  );
}

const keyOf = ({ platform_id, channel_id }: MemoryPlace) => JSON.stringify([platform_id, channel_id]);

function OfChannels({ channels }: { readonly channels: readonly MemoryChannel[] }) {
  const [first] = channels;
  const [key, setKey] = useState(first === undefined ? '' : keyOf(first));
  const shown = channels.find((channel) => keyOf(channel) === key) ?? first;
  if (shown === undefined) return null;
  return (
    <>
      <Select
        label="Channel"
        value={keyOf(shown)}
        options={channels.map((channel) => ({
          value: keyOf(channel),
          label: `${channel.channel_id} on ${channel.platform_id} (${channel.count})`,
        }))}
        onChange={setKey}
      />
      {!shown.is_on && (
        <p className="memory-off">
          Memory is off on {shown.platform_id}: agents are not told of this, and nothing is added to it there.
        </p>
      )}
      <OfChannel key={keyOf(shown)} channel={shown} />
    </>
  );
}

type Doing = { readonly what: 'add' } | { readonly what: 'edit' | 'forget'; readonly entry: Memory } | null;

function OfChannel({ channel }: { readonly channel: MemoryChannel }) {
  const entries = useQuery(memoryQuery(channel));
  const [doing, setDoing] = useState<Doing>(null);
  const close = () => setDoing(null);
  return (
    <>
      <div className="memory-head">
        <Button icon="plus" onClick={() => setDoing({ what: 'add' })}>
          Add a fact
        </Button>
      </div>
      <Loaded query={entries} what="the memory">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="file" title="Nothing is remembered here yet">
              <p>Write !remember and a fact in the channel, or add one here.</p>
            </Empty>
          ) : (
            <>
              <p className="card-meta">{counted(list.length, 'entry', 'entries')}, the newest first</p>
              <ol className="cards" reversed>
                {list.toReversed().map((entry) => (
                  <li key={entry.id}>
                    <MemoryCard
                      entry={entry}
                      onEdit={() => setDoing({ what: 'edit', entry })}
                      onForget={() => setDoing({ what: 'forget', entry })}
                    />
                  </li>
                ))}
              </ol>
            </>
          )
        }
      </Loaded>
      {doing?.what === 'add' && <MemoryDialog place={channel} entry={null} onClose={close} />}
      {doing?.what === 'edit' && <MemoryDialog place={channel} entry={doing.entry} onClose={close} />}
      {doing?.what === 'forget' && <ForgetDialog entry={doing.entry} onClose={close} />}
    </>
  );
}

const sources = {
  user: { kind: 'good', text: 'by a person' },
  agent: { kind: 'accent', text: 'by an agent' },
  distilled: { kind: 'plain', text: 'from a session' },
} as const;

interface CardProps {
  readonly entry: Memory;
  readonly onEdit: () => void;
  readonly onForget: () => void;
}

function MemoryCard({ entry, onEdit, onForget }: CardProps) {
  const { kind, text } = sources[entry.source];
  return (
    <article className="card card-row" aria-label={`Number ${entry.index}`}>
      <div className="card-title">
        <p className="memory-text">
          <bdi>{entry.text}</bdi>
        </p>
        <p className="card-meta">
          <span>number {entry.index}</span>
          <Badge kind={kind}>{text}</Badge>
          <span>
            {entry.source !== 'user' && 'for '}
            <bdi>{entry.author.name}</bdi> <code>{entry.author.id}</code>
          </span>
          {entry.session_id !== null && (
            <Link to={paths.threads('sessions', entry.session_id)}>its session</Link>
          )}
          <Time at={entry.created_at} as="relative" />
          {entry.edited_at !== null && (
            <span>
              edited <Time at={entry.edited_at} as="relative" />
            </span>
          )}
        </p>
      </div>
      <div className="memory-actions">
        <IconButton icon="pencil" label={`Edit number ${entry.index}`} onClick={onEdit} />
        <IconButton icon="trash" label={`Forget number ${entry.index}`} onClick={onForget} />
      </div>
    </article>
  );
}
