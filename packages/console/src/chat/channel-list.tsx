import { type KeyboardEvent, type RefObject, useState } from 'react';
import type { Person } from '../api/local.ts';
import { plainText } from '../lib/markdown.ts';
import { useStored } from '../lib/storage.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { CountBadge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { draftTexts, hasDraft } from './drafts.ts';
import { channelTitle, isAgent } from './people.ts';
import type { ChannelActivity } from './unread.ts';

interface ChannelListProps {
  readonly activity: readonly ChannelActivity[];
  readonly current: string | null;
  readonly person: Person | null;
  readonly filter: RefObject<HTMLInputElement | null>;
  readonly onCreate: () => void;
  readonly onChoosePerson: () => void;
}

export function ChannelList({
  activity,
  current,
  person,
  filter,
  onCreate,
  onChoosePerson,
}: ChannelListProps) {
  const [query, setQuery] = useState('');
  useStored(draftTexts);
  const me = person?.id ?? null;
  const wanted = query.trim().toLowerCase();
  const shown = activity.filter(({ channel }) => {
    return `${channel.name} ${channelTitle(channel, me)}`.toLowerCase().includes(wanted);
  });

  function onFilterKey(event: KeyboardEvent): void {
    const first = shown[0]?.channel;
    if (event.key === 'Escape') {
      event.preventDefault();
      setQuery('');
      filter.current?.blur();
    } else if (event.key === 'Enter' && first !== undefined) {
      event.preventDefault();
      setQuery('');
      navigate(paths.chat(first.name));
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      document.querySelector<HTMLElement>('.channel-link')?.focus();
    }
  }

  return (
    <section className="pane sidebar" aria-label="Channels">
      <header className="pane-head">
        <div className="pane-title">
          <h2>Chat</h2>
        </div>
        <IconButton icon="plus" label="New channel" onClick={onCreate} />
      </header>
      {activity.length > 0 && (
        <div className="search-box">
          <Icon name="search" small />
          <input
            ref={filter}
            className="input"
            type="search"
            aria-label="Find a channel"
            placeholder="Find a channel"
            autoComplete="off"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={onFilterKey}
          />
        </div>
      )}
      {activity.length === 0 ? (
        <Empty
          icon="chat"
          title="No channels yet"
          action={
            <Button kind="primary" icon="plus" onClick={onCreate}>
              New channel
            </Button>
          }
        >
          <p>A channel is a room for people and agents. Agents find what is written in it in their inbox.</p>
        </Empty>
      ) : (
        <nav className="channel-list" aria-label="Channels" onKeyDown={(event) => moveByArrows(event)}>
          {shown.length === 0 && <p className="list-none">No channel of that name.</p>}
          {shown.map((item) => (
            <ChannelLink key={item.channel.id} item={item} me={me} current={item.channel.name === current} />
          ))}
        </nav>
      )}
      <button type="button" className="person-button" onClick={onChoosePerson}>
        {person === null ? (
          <span className="avatar avatar-medium avatar-nobody" aria-hidden="true">
            <Icon name="user" small />
          </span>
        ) : (
          <Avatar id={person.id} name={person.name} />
        )}
        <span className="person-words">
          <span className="person-name">{person?.name ?? 'Who are you?'}</span>
          <span className="person-id">{person === null ? 'Choose a name to write' : `@${person.id}`}</span>
        </span>
        <span className="visually-hidden">Change who you speak as</span>
        <Icon name="down" small />
      </button>
    </section>
  );
}

interface ChannelLinkProps {
  readonly item: ChannelActivity;
  readonly me: string | null;
  readonly current: boolean;
}

function ChannelLink({ item, me, current }: ChannelLinkProps) {
  const { channel, last, unread } = item;
  const title = channelTitle(channel, me);
  const other = channel.members.find(({ id }) => id !== me && !isAgent({ id }));
  const draft = !current && hasDraft(channel.id);
  return (
    <Link
      to={paths.chat(channel.name)}
      className={unread > 0 ? 'channel-link channel-unread' : 'channel-link'}
      data-roving
      aria-current={current ? 'page' : undefined}
    >
      {channel.type === 'group' ? (
        <span className="avatar avatar-medium avatar-channel" aria-hidden="true">
          <Icon name="hash" small />
        </span>
      ) : (
        <Avatar id={other?.id ?? channel.id} name={title} agent={other === undefined} />
      )}
      <span className="channel-words">
        <span className="channel-line">
          <bdi className="channel-name">{title}</bdi>
          {last !== null && <Time at={last.at} as="list" />}
        </span>
        <span className="channel-line">
          <span className="channel-preview">
            {draft ? (
              <>
                <span className="draft-mark">Draft</span> kept for you
              </>
            ) : (
              previewOf(item)
            )}
          </span>
          <CountBadge count={unread} label="unread" />
        </span>
      </span>
    </Link>
  );
}

function previewOf({ last, channel }: ChannelActivity): string {
  if (last === null) return 'Nothing said yet';
  const words = plainText(last.text) || (last.files === 1 ? 'sent a file' : `sent ${last.files} files`);
  return channel.type === 'dm' ? words : `${last.by}: ${words}`;
}
