import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react';
import type { LocalMessage } from '../api/local.ts';
import { dayKey, dayLabel, fullTime } from '../lib/time.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNow } from '../ui/time.tsx';
import { Message } from './message.tsx';
import type { MessageActions } from './message-actions.ts';
import type { Outgoing } from './outbox.ts';
import { type OutgoingActions, OutgoingMessage } from './outgoing-message.tsx';
import { useReadLine } from './read-line.ts';
import { type Row, rowsOf } from './rows.ts';
import { useScrollKeeper } from './scroll.ts';
import { threadSummaries } from './timeline.ts';

interface MessageListProps {
  readonly label: string;
  readonly channelId: string;
  readonly messages: readonly LocalMessage[];
  readonly outgoing: readonly Outgoing[];
  /** The list is one thread, its root first. */
  readonly thread: boolean;
  readonly highlightId: string | null;
  readonly editingId: string | null;
  readonly actions: MessageActions;
  readonly outgoingActions: OutgoingActions;
  /** What stands before the first message. */
  readonly start: ReactNode;
  readonly onNearStart: (() => void) | null;
  readonly onNearEnd: (() => void) | null;
  readonly onLeave: () => void;
}

export function MessageList(props: MessageListProps) {
  const { messages, thread, highlightId, editingId, actions } = props;
  const me = actions.person?.id ?? null;
  const now = useNow();
  const shownOutgoing = props.outgoing.filter((entry) => !messages.some(({ id }) => id === entry.arrivedAs));
  const keeper = useScrollKeeper({
    shown: `${messages.length} ${messages[0]?.id} ${shownOutgoing.length}`,
    onNearStart: props.onNearStart,
    onNearEnd: props.onNearEnd,
  });
  const readLine = useReadLine(props.channelId, me, thread ? undefined : messages, keeper.atEnd);
  const { readUpTo } = readLine;
  const rows = useMemo(
    () => rowsOf(messages, { now, readUpTo: thread ? null : readUpTo, me, thread }),
    [messages, now, readUpTo, me, thread],
  );
  const summaries = useMemo(() => (thread ? null : threadSummaries(messages)), [messages, thread]);
  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages]);
  const [activeId, setActiveId] = useState<string | null>(null);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const [hoveredId, setHoveredId] = useState<string | null>(null);

  // The one message that Tab reaches: the last that was used, else the newest.
  const shown = rows.filter((row) => row.kind === 'message');
  const tabStop = shown.some((row) => row.key === activeId) ? activeId : (shown.at(-1)?.key ?? null);

  useOneTabStop(keeper.content, tabStop);

  function use(id: string): void {
    setActiveId(id);
    setFocusedId(id);
  }

  const { toRow, toEnd } = keeper;
  const found = highlightId !== null && shown.some((row) => row.key === highlightId);
  useEffect(() => {
    if (!found || highlightId === null) return;
    toRow(highlightId);
    setActiveId(highlightId);
    document.getElementById(rowId(highlightId, thread))?.focus({ preventScroll: true });
  }, [found, highlightId, toRow, thread]);

  // Opened with something new in it, a channel begins at the line before it.
  const [startedAt] = useState(highlightId);
  const hasNewLine = rows.some((row) => row.kind === 'new');
  const [openedWithNew] = useState(hasNewLine);
  useEffect(() => {
    if (openedWithNew && startedAt === null) toRow('new', 'top');
  }, [openedWithNew, startedAt, toRow]);

  // Whoever sends wants to see it go, wherever they had scrolled to.
  const newestOutgoing = shownOutgoing.at(-1)?.key;
  useEffect(() => {
    if (newestOutgoing !== undefined) toEnd();
  }, [newestOutgoing, toEnd]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLElement>, row: Extract<Row, { kind: 'message' }>) => {
      if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
      const handled = onMessageKey(event.key, row.message, event.currentTarget, {
        actions,
        me,
        onLeave: props.onLeave,
      });
      if (handled) event.preventDefault();
    },
    [actions, me, props.onLeave],
  );

  function onListKey(event: KeyboardEvent<HTMLElement>): void {
    if (event.defaultPrevented || !(event.target as HTMLElement).matches('[data-message-row]')) return;
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-message-row]')];
    const index = all.indexOf(event.target as HTMLElement);
    const steps: Record<string, number> = {
      ArrowUp: index - 1,
      ArrowDown: index + 1,
      Home: 0,
      End: all.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined || event.altKey) return;
    event.preventDefault();
    if (next >= all.length) props.onLeave();
    else all[Math.max(0, next)]?.focus();
  }

  const lastShown = shown.at(-1)?.message.created_at;
  const lastDay = lastShown === undefined ? null : dayKey(lastShown);
  const newCount = keeper.atEnd ? 0 : countAfter(messages, readUpTo, me, thread);
  return (
    <div className="message-area">
      <div
        ref={keeper.scroller}
        className="message-scroller"
        onScroll={keeper.onScroll}
        tabIndex={tabStop === null ? 0 : -1}
      >
        <div className="message-start">{props.start}</div>
        <ol
          ref={keeper.content}
          className="messages"
          aria-label={props.label}
          onKeyDown={onListKey}
          onPointerLeave={() => setHoveredId(null)}
        >
          {rows.map((row) => {
            if (row.kind === 'day') {
              return (
                <li key={row.key} className="day-line">
                  <span>{row.label}</span>
                </li>
              );
            }
            if (row.kind === 'new') {
              return (
                <li key={row.key} data-key={row.key} className="new-line">
                  <span>New</span>
                </li>
              );
            }
            const { message } = row;
            return (
              <li key={row.key} data-key={row.key}>
                <article
                  id={rowId(message.id, thread)}
                  data-message-row
                  aria-label={`${message.user.name}, ${fullTime(message.created_at)}`}
                  tabIndex={row.key === tabStop ? 0 : -1}
                  onKeyDown={(event) => onKeyDown(event, row)}
                  onFocus={() => use(row.key)}
                  onBlur={(event) => {
                    if (leavesMessage(event)) setFocusedId(null);
                  }}
                  onPointerEnter={() => setHoveredId(row.key)}
                  onClick={() => use(row.key)}
                >
                  <Message
                    message={message}
                    continued={row.continued}
                    stray={row.stray}
                    summary={summaries?.get(message.id)}
                    replyTo={message.reply_to === null ? undefined : (byId.get(message.reply_to) ?? null)}
                    highlighted={row.key === highlightId}
                    editing={row.key === editingId}
                    tools={row.key === hoveredId || row.key === focusedId}
                    actions={actions}
                  />
                </article>
                {thread && row.key === messages[0]?.id && <ReplyDivider count={messages.length - 1} />}
              </li>
            );
          })}
          {shownOutgoing.length > 0 && lastDay !== dayKey(now.toISOString()) && (
            <li className="day-line">
              <span>{dayLabel(now.toISOString(), now)}</span>
            </li>
          )}
          {shownOutgoing.map((entry) => (
            <li key={entry.key} data-key={entry.key}>
              <OutgoingMessage entry={entry} actions={props.outgoingActions} />
            </li>
          ))}
        </ol>
      </div>
      {!keeper.atEnd && (
        <div className="to-end">
          <Button onClick={toEnd}>
            <Icon name="arrowDown" small />
            {newCount > 0 ? `${newCount} new` : 'Newest'}
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * Keeps the list one stop for the Tab key: of the links and buttons in it, only those of the message that
 * Tab reaches are stops too, and its toolbar is one of them. They come from several components and from
 * people's own text, so their order is set here, after each render.
 */
function useOneTabStop(content: RefObject<HTMLOListElement | null>, tabStop: string | null): void {
  useEffect(() => {
    for (const control of content.current?.querySelectorAll<HTMLElement>('article :is(a, button)') ?? []) {
      if (control.closest('.edit-box') !== null) continue;
      const inReach = control.closest<HTMLElement>('[data-key]')?.dataset.key === tabStop;
      const followsInToolbar = control.matches('.tools > :not(:first-child)');
      control.tabIndex = inReach && !followsInToolbar ? 0 : -1;
    }
  });
}

/** Whether the focus goes elsewhere, and not into a dialog that was opened from the message and gives it back. */
function leavesMessage({ currentTarget, relatedTarget: next }: FocusEvent<HTMLElement>): boolean {
  if (!(next instanceof Element)) return true;
  return !currentTarget.contains(next) && next.closest('dialog, [role="dialog"]') === null;
}

export function rowId(messageId: string, thread: boolean): string {
  return `${thread ? 'thread' : 'channel'}-${messageId}`;
}

function ReplyDivider({ count }: { readonly count: number }) {
  return (
    <p className="reply-divider">
      {count === 0 ? 'No replies yet' : count === 1 ? '1 reply' : `${count} replies`}
    </p>
  );
}

function countAfter(
  messages: readonly LocalMessage[],
  readUpTo: string | null,
  me: string | null,
  thread: boolean,
): number {
  if (readUpTo === null || thread) return 0;
  return messages.filter(
    ({ created_at: at, user, deleted_at: gone }) => at > readUpTo && user.id !== me && gone === null,
  ).length;
}

interface KeyContext {
  readonly actions: MessageActions;
  readonly me: string | null;
  readonly onLeave: () => void;
}

/** The keys of a focused message; true when one was used. */
function onMessageKey(
  key: string,
  message: LocalMessage,
  element: HTMLElement,
  context: KeyContext,
): boolean {
  const { actions, me, onLeave } = context;
  if (key === 'Escape') {
    onLeave();
    return true;
  }
  if (message.deleted_at !== null) return false;
  const own = message.user.id === me;
  switch (key.toLowerCase()) {
    case 't':
    case 'enter':
      if (actions.openThread === null) return false;
      actions.openThread(message.thread_id ?? message.id);
      return true;
    case 'l':
      actions.copyLink(message);
      return true;
    case '+':
      if (me !== null) actions.pickEmoji(message, element);
      return me !== null;
    case 'r':
      if (me !== null) actions.reply(message);
      return me !== null;
    case 'e':
      if (own) actions.startEdit(message.id);
      return own;
    case 'delete':
      if (own) actions.askDelete(message);
      return own;
    default:
      return false;
  }
}
