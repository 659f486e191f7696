import { memo, type ReactNode } from 'react';
import type { LocalMessage } from '../api/local.ts';
import { glyphOf, quickNames, spokenName } from '../lib/emoji.ts';
import { plainText } from '../lib/markdown.ts';
import { counted } from '../lib/names.ts';
import { fullTime } from '../lib/time.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { Time } from '../ui/time.tsx';
import { Attachments } from './attachments.tsx';
import { EditBox } from './edit-box.tsx';
import type { MessageActions } from './message-actions.ts';
import { agentRole, isAgent } from './people.ts';
import { Reactions } from './reactions.tsx';
import type { ThreadSummary } from './timeline.ts';

export interface MessageProps {
  readonly message: LocalMessage;
  readonly continued: boolean;
  /** A reply shown outside its thread. */
  readonly stray: boolean;
  readonly summary: ThreadSummary | undefined;
  /** What it replies to; null when that isn't loaded, undefined when it is no reply. */
  readonly replyTo: LocalMessage | null | undefined;
  readonly highlighted: boolean;
  readonly editing: boolean;
  readonly tools: boolean;
  readonly actions: MessageActions;
}

export const Message = memo(function Message(props: MessageProps) {
  const { message, continued, stray, summary, replyTo, editing, tools, actions } = props;
  const agent = isAgent(message.user);
  const deleted = message.deleted_at !== null;
  const own = message.user.id === actions.person?.id;
  const className = [
    'message',
    continued && 'message-continued',
    agent && 'message-agent',
    props.highlighted && 'message-highlighted',
  ];
  return (
    <div className={className.filter(Boolean).join(' ')}>
      <div className="message-gutter">
        {continued ? (
          <Time at={message.created_at} as="gutter" />
        ) : (
          <Avatar id={message.user.id} name={message.user.name} agent={agent} />
        )}
      </div>
      <div className="message-body">
        {replyTo !== undefined && <Quote message={replyTo} onJump={actions.jumpTo} />}
        {stray && message.thread_id !== null && (
          <button
            type="button"
            className="stray-note"
            onClick={() => actions.openThread?.(message.thread_id ?? message.id)}
          >
            <Icon name="thread" small />
            replied in a thread
          </button>
        )}
        {continued ? (
          <span className="visually-hidden">{message.user.name}: </span>
        ) : (
          <p className="message-head">
            <bdi className="message-name">{message.user.name}</bdi>
            {agent && <Badge kind="accent">{agentRole(message.user)}</Badge>}
            <Time at={message.created_at} as="clock" />
          </p>
        )}
        {deleted ? (
          <p className="message-deleted">This message was deleted.</p>
        ) : editing ? (
          <EditBox
            text={message.text}
            hasFiles={message.attachments.length > 0}
            onSave={(text) => actions.saveEdit(message, text)}
            onCancel={() => actions.startEdit(null)}
          />
        ) : (
          <>
            {message.text !== '' && <Markdown text={message.text} />}
            {message.edited_at !== null && (
              <span className="message-edited" title={fullTime(message.edited_at)}>
                (edited)
              </span>
            )}
            <Attachments attachments={message.attachments} onShow={actions.showPicture} />
          </>
        )}
        {!deleted && <Reactions message={message} actions={actions} />}
        {summary !== undefined && actions.openThread !== null && (
          <ThreadButton summary={summary} onOpen={() => actions.openThread?.(message.id)} />
        )}
      </div>
      {tools && !editing && !deleted && <Tools message={message} own={own} actions={actions} />}
    </div>
  );
});

function Quote({ message, onJump }: { message: LocalMessage | null; onJump: (id: string) => void }) {
  if (message === null) return <p className="quote-line">In reply to an earlier message</p>;
  const text = message.deleted_at !== null ? 'a deleted message' : plainText(message.text) || 'a file';
  return (
    <button type="button" className="quote-line" onClick={() => onJump(message.id)}>
      <Icon name="reply" small />
      <bdi className="quote-name">{message.user.name}</bdi>
      <span className="quote-text">{text}</span>
    </button>
  );
}

function ThreadButton({ summary, onOpen }: { summary: ThreadSummary; onOpen: () => void }) {
  return (
    <button type="button" className="thread-button" onClick={onOpen}>
      <span className="avatar-stack">
        {summary.people.map((person) => (
          <Avatar key={person.id} id={person.id} name={person.name} agent={isAgent(person)} size="small" />
        ))}
      </span>
      <span className="thread-count">{counted(summary.count, 'reply', 'replies')}</span>
      <span className="thread-last">
        last reply <Time at={summary.lastAt} as="relative" />
      </span>
    </button>
  );
}

interface ToolsProps {
  readonly message: LocalMessage;
  readonly own: boolean;
  readonly actions: MessageActions;
}

const TOOLBAR_EMOJI = 3;

/** Buttons for the one message under the pointer or focus; keys do the same. */
function Tools({ message, own, actions }: ToolsProps): ReactNode {
  const { person, openThread } = actions;
  return (
    <div
      className="tools"
      role="toolbar"
      aria-label={`Actions for the message of ${message.user.name}`}
      onKeyDown={(event) => moveByArrows(event, 'horizontal', 'button')}
    >
      {person !== null && (
        <>
          {quickNames.slice(0, TOOLBAR_EMOJI).map((name) => (
            <button
              key={name}
              type="button"
              className="icon-button tool-emoji"
              aria-label={`React with ${spokenName(name)}`}
              title={spokenName(name)}
              onClick={() => actions.react(message, name)}
            >
              {glyphOf(name)}
            </button>
          ))}
          <IconButton
            icon="smilePlus"
            label="React with another emoji"
            aria-haspopup="dialog"
            onClick={(event) => actions.pickEmoji(message, event.currentTarget)}
          />
          <IconButton icon="reply" label="Reply" onClick={() => actions.reply(message)} />
        </>
      )}
      {openThread !== null && (
        <IconButton
          icon="thread"
          label="Reply in a thread"
          onClick={() => openThread(message.thread_id ?? message.id)}
        />
      )}
      <IconButton icon="link" label="Copy the link" onClick={() => actions.copyLink(message)} />
      {own && (
        <>
          <IconButton icon="pencil" label="Edit" onClick={() => actions.startEdit(message.id)} />
          <IconButton
            icon="trash"
            label="Delete"
            className="icon-button-danger"
            onClick={() => actions.askDelete(message)}
          />
        </>
      )}
    </div>
  );
}
