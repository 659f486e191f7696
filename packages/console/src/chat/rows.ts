import type { LocalMessage } from '../api/local.ts';
import { dayKey, dayLabel } from '../lib/time.ts';

/** The lines of a message list: days, the line before what is new, and messages joined to their speaker. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly label: string }
  | { readonly kind: 'new'; readonly key: string }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: LocalMessage;
      /** Follows another of the same person closely, so name and face needn't be said again. */
      readonly continued: boolean;
      /** A reply whose thread begins before what is loaded; it stands in the channel by itself. */
      readonly stray: boolean;
    };

const JOINED_WITHIN_MILLISECONDS = 5 * 60_000;

export interface RowOptions {
  readonly now: Date;
  /** When the last message that was read was written; null shows no line. */
  readonly readUpTo: string | null;
  readonly me: string | null;
  /** In a thread everything is shown; in a channel, roots and stray replies. */
  readonly thread: boolean;
}

export function rowsOf(messages: readonly LocalMessage[], options: RowOptions): readonly Row[] {
  const rows: Row[] = [];
  const roots = new Set(
    messages.filter((message) => message.thread_id === null).map((message) => message.id),
  );
  const firstNew = firstUnread(messages, options);
  let previous: LocalMessage | null = null;
  let newLineDue = false;

  for (const message of messages) {
    const stray = !options.thread && message.thread_id !== null && !roots.has(message.thread_id);
    if (message.id === firstNew) newLineDue = true;
    if (!options.thread && message.thread_id !== null && !stray) continue;

    const newDay = previous === null || dayKey(previous.created_at) !== dayKey(message.created_at);
    if (newDay) {
      const label = dayLabel(message.created_at, options.now);
      rows.push({ kind: 'day', key: `day-${dayKey(message.created_at)}`, label });
    }
    const lineHere = newLineDue;
    if (newLineDue) rows.push({ kind: 'new', key: 'new' });
    newLineDue = false;

    // In a thread a line with the number of replies stands after its beginning.
    const afterRoot = options.thread && previous === messages[0];
    const joined: boolean =
      !newDay && !lineHere && !afterRoot && !stray && previous !== null && follows(previous, message);
    rows.push({ kind: 'message', key: message.id, message, continued: joined, stray });
    previous = message;
  }
  return rows;
}

function follows(previous: LocalMessage, message: LocalMessage): boolean {
  const close = Date.parse(message.created_at) - Date.parse(previous.created_at) < JOINED_WITHIN_MILLISECONDS;
  return (
    close &&
    previous.user.id === message.user.id &&
    previous.user.name === message.user.name &&
    message.reply_to === null
  );
}

/** The first message of others after the one that was read last. */
function firstUnread(messages: readonly LocalMessage[], { readUpTo, me }: RowOptions): string | null {
  if (readUpTo === null) return null;
  const found = unreadAfter(messages, readUpTo, me)[0];
  return found === undefined || found.id === messages[0]?.id ? null : found.id;
}

/** What others wrote after a moment. The server's times are all of one form, so they compare as text. */
export function unreadAfter(
  messages: readonly LocalMessage[],
  readUpTo: string,
  me: string | null,
): readonly LocalMessage[] {
  return messages.filter(
    (message) => message.created_at > readUpTo && message.user.id !== me && message.deleted_at === null,
  );
}
