import { assertChannel } from './channels.ts';
import { checked } from './checks.ts';
import { assemble, present } from './message-rows.ts';
import type { ChatPorts } from './ports.ts';
import { findIn } from './posting.ts';
import { type ChannelScope, within } from './scope.ts';
import { type ChatMessage, reference } from './shapes.ts';
import { fold, storable } from './text.ts';

export interface MessagePage {
  readonly channelId: string;
  /** Any message of a thread: only its root and the replies are listed, the root first. */
  readonly threadId?: string;
  /** Exclusive: the oldest messages that are newer than this one. Without it, the newest of all. */
  readonly after?: string;
  /** Exclusive: the newest messages that are older than this one. */
  readonly before?: string;
  /** At most so many. */
  readonly limit: number;
}

/**
 * A page of a channel or thread, oldest first.
 *
 * @throws Failure not_found for an unknown channel, or a thread or message that is not in it.
 */
export async function list(ports: ChatPorts, page: MessagePage): Promise<ChatMessage[]> {
  const { db } = ports.store;
  await assertChannel(db, page.channelId);
  let query = db
    .selectFrom('chat_messages')
    .selectAll()
    .where('channel_id', '=', page.channelId)
    .limit(page.limit);
  if (page.threadId !== undefined) {
    const named = await findIn(db, page.channelId, page.threadId, 'thread_id');
    query = query.where('root_id', '=', named.root_id);
  }
  if (page.after !== undefined) {
    const { position } = await findIn(db, page.channelId, page.after, 'after');
    query = query.where('position', '>', position);
  }
  if (page.before !== undefined) {
    const { position } = await findIn(db, page.channelId, page.before, 'before');
    query = query.where('position', '<', position);
  }
  const forward = page.after !== undefined;
  const rows = await query.orderBy('position', forward ? 'asc' : 'desc').execute();
  if (!forward) rows.reverse();
  const publicUrl = ports.publicUrl();
  return (await assemble(db, rows)).map((message) => present(message, publicUrl));
}

/** A message by its id, a tombstone too, or null. */
export async function read(ports: ChatPorts, messageId: string): Promise<ChatMessage | null> {
  const { db } = ports.store;
  const rows = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('message_id', '=', checked(reference, messageId, 'message_id'))
    .execute();
  const [message] = await assemble(db, rows);
  return message === undefined ? null : present(message, ports.publicUrl());
}

export interface ChatSearch {
  /**
   * Words are looked for as one substring, whatever their case; `from:<user id or name>` (a leading @ is
   * dropped, quotes hold a name of several words) narrows to that author; several, to any of them.
   */
  readonly query: string;
  /** Only these channels; all when absent. */
  readonly channelIds?: readonly string[];
  /** At most so many. */
  readonly limit: number;
}

/** Messages that match, newest first; deleted ones never do, and an empty search finds nothing. */
export async function search(
  ports: ChatPorts,
  { query, channelIds, limit }: ChatSearch,
  scope: ChannelScope = {},
): Promise<ChatMessage[]> {
  const { text, authors } = parseSearch(query);
  if (text === '' && authors.length === 0) return [];
  if (channelIds !== undefined && channelIds.length === 0) return [];
  const { db } = ports.store;
  let found = db.selectFrom('chat_messages').selectAll().where('deleted_us', 'is', null).where(within(scope));
  if (channelIds !== undefined) found = found.where('channel_id', 'in', channelIds);
  if (authors.length > 0) {
    found = found.where((where) =>
      where.or([where('user_id', 'in', authors), where('user_name', 'in', authors)]),
    );
  }
  if (text !== '') {
    found = found.where((where) =>
      where(
        where.fn<number>(ports.store.engine === 'postgres' ? 'strpos' : 'instr', [
          'folded',
          where.val(fold(text)),
        ]),
        '>',
        0,
      ),
    );
  }
  const rows = await found.orderBy('position', 'desc').limit(limit).execute();
  const publicUrl = ports.publicUrl();
  return (await assemble(db, rows)).map((message) => present(message, publicUrl));
}

function parseSearch(query: string): { text: string; authors: string[] } {
  const authors: string[] = [];
  const text = storable(query)
    .replaceAll(/(?<!\S)from:@?(?:"([^"]+)"|(\S+))/gi, (_whole, quoted?: string, bare?: string) => {
      authors.push(quoted ?? bare ?? '');
      return '';
    })
    .trim();
  return { text, authors };
}
