import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Session } from '../api/session.ts';
import { useStored } from '../lib/storage.ts';
import { navigate, paths } from '../router.tsx';
import { useHotkeys } from '../shell/hotkeys.ts';
import { Button } from '../ui/button.tsx';
import { Empty, ErrorState, Skeleton } from '../ui/states.tsx';
import { MembersDialog, NewChannelDialog } from './channel-dialogs.tsx';
import { ChannelList } from './channel-list.tsx';
import { Conversation } from './conversation.tsx';
import { HeldBackHint } from './held-back-hint.tsx';
import { useOutgoing } from './live.tsx';
import { channelTitle, chosenPerson, peopleOf } from './people.ts';
import { PersonDialog } from './person-dialog.tsx';
import { channelsQuery } from './queries.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { useActivity } from './unread.ts';

interface ChatPageProps {
  readonly session: Session;
  readonly channelName: string | null;
  readonly messageId: string | null;
  readonly threadId: string | null;
}

type OpenDialog = 'person' | 'channel' | 'members' | null;

/** Wide enough for list and conversation side by side; the style sheet has the same number. */
const WIDE = '(min-width: 820px)';

export function ChatPage({ session, channelName, messageId, threadId }: ChatPageProps) {
  const channels = useQuery(channelsQuery);
  const activity = useActivity();
  const person = useStored(chosenPerson);
  const filter = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const channel = channels.data?.find(({ name }) => name === channelName);
  // Which one is the liveliest is known when all have been looked at.
  const first = activity.every(({ settled }) => settled) ? activity[0]?.channel.name : undefined;
  const unread = activity.reduce((total, item) => total + item.unread, 0);
  useUnsentWarning();

  // A wide page with nothing chosen shows the liveliest channel rather than a void.
  useEffect(() => {
    if (channelName !== null || first === undefined || !window.matchMedia(WIDE).matches) return;
    navigate(paths.chat(first), { replace: true });
  }, [channelName, first]);

  const title = channel === undefined ? 'Chat' : channelTitle(channel, person?.id ?? null);
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${title} · Postern`;
  }, [title, unread]);

  function step(by: number): void {
    const index = activity.findIndex((item) => item.channel.name === channelName);
    const next = activity[index + by]?.channel.name;
    if (next !== undefined) navigate(paths.chat(next));
  }

  useHotkeys({
    'mod+k': () => {
      filter.current?.focus();
      filter.current?.select();
    },
    'alt+arrowup': () => step(-1),
    'alt+arrowdown': () => step(1),
  });

  if (channels.isError && channels.data === undefined) {
    return (
      <div className="full-page">
        <ErrorState
          title="The channels could not be loaded"
          error={channels.error}
          busy={channels.isFetching}
          onRetry={() => channels.refetch()}
        />
      </div>
    );
  }

  const choosePerson = () => setDialog('person');
  return (
    <div
      className="chat"
      data-channel={channelName !== null || undefined}
      data-thread={threadId !== null || undefined}
    >
      {channels.data === undefined ? (
        <section className="pane sidebar" aria-label="Channels">
          <Skeleton label="Loading channels" rows={6} shape="list" />
        </section>
      ) : (
        <ChannelList
          activity={activity}
          current={channelName}
          person={person}
          filter={filter}
          onCreate={() => setDialog('channel')}
          onChoosePerson={choosePerson}
        />
      )}
      {channel !== undefined ? (
        <Conversation
          key={`${channel.id} ${person?.id ?? ''}`}
          channel={channel}
          messageId={messageId}
          person={person}
          hint={session.services.inbox && person !== null && <HeldBackHint personId={person.id} />}
          onMembers={() => setDialog('members')}
          onChoosePerson={choosePerson}
        />
      ) : (
        <section className="pane conversation" aria-label="Conversation">
          {channels.data === undefined ? (
            <Skeleton label="Loading" rows={7} shape="messages" />
          ) : channelName === null ? (
            <Welcome hasChannels={activity.length > 0} onCreate={() => setDialog('channel')} />
          ) : (
            <UnknownChannel name={channelName} onCreate={() => setDialog('channel')} />
          )}
        </section>
      )}
      {channel !== undefined && threadId !== null && (
        <ThreadPanel
          key={`${channel.id} ${threadId} ${person?.id ?? ''}`}
          channel={channel}
          rootId={threadId}
          messageId={messageId}
          person={person}
          onChoosePerson={choosePerson}
        />
      )}
      {dialog === 'person' && (
        <PersonDialog
          current={person}
          people={peopleOf(channels.data ?? [], person)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'channel' && (
        <NewChannelDialog
          person={person}
          initialName={channel === undefined ? (channelName ?? '') : ''}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'members' && channel !== undefined && (
        <MembersDialog channel={channel} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

function Welcome({ hasChannels, onCreate }: { hasChannels: boolean; onCreate: () => void }) {
  if (hasChannels) return null;
  return (
    <Empty
      icon="chat"
      title="Try Postern right here"
      action={
        <Button kind="primary" icon="plus" onClick={onCreate}>
          New channel
        </Button>
      }
    >
      <p>The local chat needs no account anywhere. In three steps:</p>
      <ol className="steps">
        <li>Make a channel and write something.</li>
        <li>Let yourself in: your first message waits in the inbox’s quarantine.</li>
        <li>Give your agent a token. It finds the message unread, and answers here.</li>
      </ol>
    </Empty>
  );
}

function UnknownChannel({ name, onCreate }: { name: string; onCreate: () => void }) {
  return (
    <Empty
      icon="search"
      title={`There is no channel “${name}”`}
      action={
        <Button icon="plus" onClick={onCreate}>
          Create it
        </Button>
      }
    >
      <p>It may have another name, or the link is old.</p>
    </Empty>
  );
}

/** The browser asks before a page is closed that still has something to send. */
function useUnsentWarning(): void {
  const unsent = useOutgoing().length > 0;
  useEffect(() => {
    if (!unsent) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [unsent]);
}
