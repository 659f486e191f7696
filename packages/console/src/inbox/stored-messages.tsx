import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { InboxChannel, StoredMessage } from '../api/inbox.ts';
import { useScrollKeeper } from '../chat/scroll.ts';
import { type Naming, plainText } from '../lib/markdown.ts';
import { dayKey, dayLabel, fullTime } from '../lib/time.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { Empty } from '../ui/states.tsx';
import { Time, useNow } from '../ui/time.tsx';
import { discordNaming } from './discord-names.ts';
import { EnvelopeFiles } from './envelope-files.tsx';
import { channelsQuery } from './queries.ts';
import { unreadNotes } from './unread-notes.ts';

interface StoredMessageListProps {
  readonly channelId: string;
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  readonly loadOlder: (() => unknown) | null;
  readonly loadingOlder: boolean;
}

const NO_CHANNELS: readonly InboxChannel[] = [];

/** A conversation as the inbox holds it, with who of the agents has read what. */
export function StoredMessageList({ channelId, messages, loadOlder, loadingOlder }: StoredMessageListProps) {
  const now = useNow();
  const keeper = useScrollKeeper({
    shown: `${channelId} ${messages.length} ${messages[0]?.id}`,
    onNearStart: loadingOlder || loadOlder === null ? null : () => void loadOlder(),
    onNearEnd: null,
  });
  const channels = useQuery(channelsQuery).data ?? NO_CHANNELS;
  const byId = new Map(messages.map((message) => [message.id, message]));
  const notes = unreadNotes(messages, loadOlder === null);
  const namings = useMemo(() => {
    const senders = new Map(messages.map(({ sender }) => [sender.id, sender.display_name]));
    return new Map(messages.map((message) => [message.id, discordNaming(message, senders, channels)]));
  }, [messages, channels]);

  if (messages.length === 0) {
    return (
      <Empty icon="chat" title="No messages here">
        <p>The conversation is known, but nothing in it is kept. What was held back is in the quarantine.</p>
      </Empty>
    );
  }
  return (
    <div className="message-area">
      <div ref={keeper.scroller} className="message-scroller" onScroll={keeper.onScroll}>
        <div className="message-start">
          {loadOlder === null ? (
            <p className="start-note">This is the first message that is kept.</p>
          ) : (
            <Button kind="quiet" busy={loadingOlder} onClick={() => loadOlder()}>
              {loadingOlder ? 'Loading older messages…' : 'Load older messages'}
            </Button>
          )}
        </div>
        <ol
          ref={keeper.content}
          className="messages"
          aria-label="Messages"
          onKeyDown={(event) => moveByArrows(event)}
        >
          {messages.map((message, index) => {
            const previous = messages[index - 1];
            const newDay = previous === undefined || dayKey(previous.timestamp) !== dayKey(message.timestamp);
            return (
              <li key={message.id} data-key={message.id}>
                {newDay && (
                  <p className="day-line">
                    <span>{dayLabel(message.timestamp, now)}</span>
                  </p>
                )}
                <Stored
                  tabStop={index === messages.length - 1}
                  message={message}
                  replyTo={message.reply_to === null ? undefined : byId.get(message.reply_to)}
                  namings={namings}
                  unreadNote={notes.get(message.id) ?? null}
                />
              </li>
            );
          })}
        </ol>
      </div>
      {!keeper.atEnd && (
        <div className="to-end">
          <Button icon="arrowDown" onClick={keeper.toEnd}>
            Newest
          </Button>
        </div>
      )}
    </div>
  );
}

interface StoredProps {
  readonly message: StoredMessage;
  readonly replyTo: StoredMessage | undefined;
  /** By message id. */
  readonly namings: ReadonlyMap<string, Naming | undefined>;
  /** That no agent has read this and what stands before it, where that is so. */
  readonly unreadNote: string | null;
  /** Tab reaches one message of the list; arrows reach the others. */
  readonly tabStop: boolean;
}

function Stored({ message, replyTo, namings, unreadNote, tabStop }: StoredProps) {
  const outbound = message.direction === 'outbound';
  const deleted = message.deleted_at !== null;
  return (
    <article
      className={outbound ? 'message message-agent' : 'message'}
      tabIndex={tabStop ? 0 : -1}
      data-roving
      aria-label={`${message.sender.display_name}, ${fullTime(message.timestamp)}`}
    >
      <div className="message-gutter">
        <Avatar id={message.sender.id} name={message.sender.display_name} agent={outbound} />
      </div>
      <div className="message-body">
        {message.reply_to !== null && (
          <p className="quote-line">
            <Icon name="reply" small />
            {replyTo === undefined ? (
              'In reply to an earlier message'
            ) : (
              <>
                <bdi className="quote-name">{replyTo.sender.display_name}</bdi>
                <span className="quote-text">
                  {plainText(replyTo.text, namings.get(replyTo.id)) || 'a file'}
                </span>
              </>
            )}
          </p>
        )}
        <p className="message-head">
          <bdi className="message-name" title={`Sender id ${message.sender.id}`}>
            {message.sender.display_name}
          </bdi>
          {outbound && <Badge kind="accent">sent by an agent</Badge>}
          <Time at={message.timestamp} as="clock" />
        </p>
        {deleted ? (
          <p className="message-deleted">This message was deleted.</p>
        ) : (
          <>
            {message.text !== '' && <Markdown text={message.text} naming={namings.get(message.id)} />}
            {message.edited_at !== null && (
              <span className="message-edited" title={fullTime(message.edited_at)}>
                (edited)
              </span>
            )}
            <EnvelopeFiles attachments={message.attachments} trusted />
          </>
        )}
        {!outbound && <ReadBy message={message} />}
        {unreadNote !== null && <p className="read-by">{unreadNote}</p>}
      </div>
    </article>
  );
}

function ReadBy({ message }: { readonly message: StoredMessage }) {
  if (message.read_by.length === 0) return null;
  return (
    <ul className="read-by" aria-label="Read by">
      <li>
        <Icon name="eye" small />
      </li>
      {message.read_by.map(({ agent_id: agent, read_at: at }) => (
        <li key={agent}>
          <Badge kind="good" title={`Read ${fullTime(at)}`}>
            {agent}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
