import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { LocalChannel, Person } from '../api/local.ts';
import { navigate, paths } from '../router.tsx';
import { IconButton } from '../ui/button.tsx';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { rowId } from './message-list.tsx';
import { threadQuery } from './queries.ts';
import { Stream } from './stream.tsx';

interface ThreadPanelProps {
  readonly channel: LocalChannel;
  readonly rootId: string;
  readonly messageId: string | null;
  readonly person: Person | null;
  readonly onChoosePerson: () => void;
}

/** A thread beside its channel. Opening it puts the caret in its box; Escape closes it. */
export function ThreadPanel({ channel, rootId, messageId, person, onChoosePerson }: ThreadPanelProps) {
  const thread = useQuery(threadQuery(channel.id, rootId));
  const input = useRef<HTMLTextAreaElement>(null);
  const linked = thread.data?.messages.some(({ id }) => id === messageId) ?? false;
  // The channel stays at its linked message, unless that one is in this thread and would open it again.
  const close = () => navigate(paths.chat(channel.name, linked ? null : messageId));
  const writes = thread.data !== undefined && !linked;

  useEffect(() => {
    if (writes) input.current?.focus();
  }, [writes]);

  // Whoever closes it by a key goes on from the message it hangs on.
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById(rowId(rootId, false))?.focus();
      });
    },
    [rootId],
  );

  return (
    <aside
      className="pane thread-panel"
      aria-label="Thread"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
    >
      <header className="pane-head">
        <div className="pane-title">
          <h2>Thread</h2>
          <p>
            in <bdi>{channel.name}</bdi>
          </p>
        </div>
        <IconButton icon="close" label="Close the thread" onClick={close} />
      </header>
      {thread.data !== undefined ? (
        <Stream
          channel={channel}
          threadId={rootId}
          messages={thread.data.messages}
          label="Thread"
          person={person}
          highlightId={linked ? messageId : null}
          input={input}
          start={null}
          onNearStart={null}
          onNearEnd={null}
          onOpenThread={null}
          onJump={(id) => navigate(paths.chat(channel.name, id, rootId), { replace: true })}
          onEscape={close}
          onChoosePerson={onChoosePerson}
        />
      ) : thread.isError ? (
        <ErrorState
          title="The thread could not be loaded"
          error={thread.error}
          busy={thread.isFetching}
          onRetry={() => thread.refetch()}
        />
      ) : (
        <Skeleton label="Loading the thread" rows={3} shape="messages" />
      )}
    </aside>
  );
}
