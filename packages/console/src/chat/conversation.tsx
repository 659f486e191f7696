import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/http.ts';
import type { LocalChannel, LocalMessage, Person } from '../api/local.ts';
import { plainText } from '../lib/markdown.ts';
import { counted } from '../lib/names.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty, ErrorState, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { draftKey, readDraft, writeDraft } from './drafts.ts';
import { outgoingFiles, refusedFiles } from './files.ts';
import { useLive } from './live.tsx';
import { channelTitle, isAgent, isOutsider } from './people.ts';
import { Stream } from './stream.tsx';
import { useTimeline } from './use-timeline.ts';

interface ConversationProps {
  readonly channel: LocalChannel;
  readonly messageId: string | null;
  readonly person: Person | null;
  /** Stands above the box. */
  readonly hint: ReactNode;
  readonly onMembers: () => void;
  readonly onChoosePerson: () => void;
}

export function Conversation({
  channel,
  messageId,
  person,
  hint,
  onMembers,
  onChoosePerson,
}: ConversationProps) {
  const shown = useTimeline(channel.id, messageId);
  const input = useRef<HTMLTextAreaElement>(null);
  const title = channelTitle(channel, person?.id ?? null);
  const outside = isOutsider(channel, person);
  const { timeline } = shown;
  const linked = timeline?.messages.find(({ id }) => id === messageId);
  const gone = shown.error instanceof ApiError && shown.error.status === 404;
  const missing = messageId !== null && (shown.missing || gone);

  // A link to a reply opens its thread, where the reply is.
  const linkedThread = linked?.thread_id ?? null;
  useEffect(() => {
    if (linkedThread !== null) navigate(paths.chat(channel.name, messageId, linkedThread), { replace: true });
  }, [linkedThread, channel.name, messageId]);

  const toNewest = () => navigate(paths.chat(channel.name), { replace: true });
  return (
    <DropArea channelId={channel.id} enabled={person !== null && !outside}>
      <ConversationHead channel={channel} title={title} onMembers={onMembers} />
      {missing ? (
        <Empty
          icon="search"
          title="This message can’t be found"
          action={<Button onClick={toNewest}>Show the newest messages</Button>}
        >
          <p>It may have been in another channel, or the link is incomplete.</p>
        </Empty>
      ) : shown.error !== null && timeline === undefined ? (
        <ErrorState
          title="The messages could not be loaded"
          error={shown.error}
          busy={shown.retrying}
          onRetry={shown.retry}
        />
      ) : timeline === undefined ? (
        <Skeleton label="Loading messages" rows={7} shape="messages" />
      ) : (
        <>
          <Announcer messages={timeline.messages} me={person?.id ?? null} />
          <Stream
            key={shown.isPast ? `past ${messageId}` : 'newest'}
            channel={channel}
            threadId={null}
            messages={timeline.messages}
            label={title}
            person={person}
            highlightId={linkedThread === null ? messageId : null}
            input={input}
            start={<Start channel={channel} title={title} shown={shown} />}
            notice={
              shown.isPast ? (
                <div className="past-notice">
                  <p>You are looking at older messages.</p>
                  <Button icon="arrowDown" onClick={toNewest}>
                    Go to the newest
                  </Button>
                </div>
              ) : (
                !outside && hint
              )
            }
            onNearStart={shown.loadingOlder ? null : shown.loadOlder}
            onNearEnd={shown.loadingNewer ? null : shown.loadNewer}
            onOpenThread={(rootId) => navigate(paths.chat(channel.name, messageId, rootId))}
            onJump={(id) => navigate(paths.chat(channel.name, id))}
            onEscape={() => input.current?.blur()}
            onSend={() => (messageId !== null ? toNewest() : undefined)}
            onChoosePerson={onChoosePerson}
          />
        </>
      )}
    </DropArea>
  );
}

interface HeadProps {
  readonly channel: LocalChannel;
  readonly title: string;
  readonly onMembers: () => void;
}

function ConversationHead({ channel, title, onMembers }: HeadProps) {
  const { status } = useLive();
  return (
    <header className="pane-head">
      <Link to={paths.chat()} className="icon-button pane-back" aria-label="Back to the channels">
        <Icon name="back" />
      </Link>
      <div className="pane-title">
        <h1>
          <Icon name={channel.type === 'dm' ? 'user' : 'hash'} small />
          <bdi>{title}</bdi>
        </h1>
      </div>
      <p className="live-status" role="status">
        {status === 'reconnecting' && (
          <span className="reconnecting">
            <span className="spinner" aria-hidden="true" />
            Reconnecting…
          </span>
        )}
      </p>
      <button type="button" className="button button-quiet members-button" onClick={onMembers}>
        <Icon name="users" small />
        <span className="button-label">
          {channel.members.length}
          <span className="visually-hidden">
            {channel.members.length === 1 ? ' member of ' : ' members of '}
            {title}
          </span>
        </span>
      </button>
    </header>
  );
}

interface StartProps {
  readonly channel: LocalChannel;
  readonly title: string;
  readonly shown: ReturnType<typeof useTimeline>;
}

/** What stands above the first message: the way to older ones, or the beginning. */
function Start({ channel, title, shown }: StartProps) {
  const { timeline } = shown;
  if (shown.loadOlder !== null) {
    return (
      <Button kind="quiet" busy={shown.loadingOlder} onClick={shown.loadOlder}>
        {shown.loadingOlder ? 'Loading older messages…' : 'Load older messages'}
      </Button>
    );
  }
  if (timeline === undefined || !timeline.atStart) {
    return (
      <p className="start-note">
        {shown.isPast
          ? 'The messages from this link on.'
          : `These are the newest ${counted(timeline?.messages.length ?? 0, 'message')}. `}
        {!shown.isPast && 'Older ones open by their links.'}
      </p>
    );
  }
  if (timeline.messages.length > 0) {
    return (
      <p className="start-note">
        This is the beginning of <bdi>{title}</bdi>.
      </p>
    );
  }
  return (
    <Empty icon="chat" title="Nothing said yet">
      <p>
        Write the first message below.{' '}
        {channel.type === 'dm' || channel.members.some(isAgent) ? '' : 'Agents find it in their inbox. '}
        Drop a file anywhere here to attach it.
      </p>
    </Empty>
  );
}

/** Has messages of others read aloud as they come, one at a time and without their markup. */
function Announcer({
  messages,
  me,
}: {
  readonly messages: readonly LocalMessage[];
  readonly me: string | null;
}) {
  const [since] = useState(() => messages.at(-1)?.created_at ?? '');
  const last = messages.findLast(({ user, created_at: at, deleted_at: gone }) => {
    return user.id !== me && at > since && gone === null;
  });
  return (
    <p className="visually-hidden" role="log" aria-live="polite">
      {last !== undefined && `${last.user.name}: ${plainText(last.text) || 'sent a file'}`}
    </p>
  );
}

interface DropAreaProps {
  readonly channelId: string;
  readonly enabled: boolean;
  readonly children: ReactNode;
}

/** Takes files that are dropped anywhere on the conversation into its draft. */
function DropArea({ channelId, enabled, children }: DropAreaProps) {
  const [over, setOver] = useState(false);
  const toast = useToast();

  function carriesFiles(event: DragEvent): boolean {
    return enabled && event.dataTransfer.types.includes('Files');
  }

  function onDrop(event: DragEvent): void {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setOver(false);
    const key = draftKey(channelId, null);
    const draft = readDraft(key);
    const files = [...event.dataTransfer.files];
    const refusal = refusedFiles(draft.files, files);
    if (refusal !== null) {
      toast(refusal, 'failed');
      return;
    }
    writeDraft(key, { ...draft, files: [...draft.files, ...outgoingFiles(files)] });
  }

  return (
    <section
      className="pane conversation"
      aria-label="Conversation"
      onDragOver={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={onDrop}
    >
      {children}
      {over && (
        <div className="drop-cover" aria-hidden="true">
          <Icon name="clip" />
          Drop to attach
        </div>
      )}
    </section>
  );
}
