import type { Kysely } from 'kysely';
import { assemble, type MessageRow, present } from './message-rows.ts';
import type { ChatPorts, ChatTransaction } from './ports.ts';
import { type ChannelScope, within } from './scope.ts';
import type { ChatEvent, ChatReaction, StoredMessage } from './shapes.ts';
import type { ChatTables } from './tables.ts';

/**
 * The event log: a row for each change, written in the change's own transaction at its position, so that a
 * reader with a cursor sees each change once, in order, and none that was rolled back.
 */

/** Store notification: the log has grown. */
export const LOG_CHANNEL = 'chat_events';

/** The part of the kept events that one cut takes away: rarely enough to cost nothing, small enough to be quick. */
const CUTS_PER_LOG = 100;

type MessageEventType = 'message.created' | 'message.updated' | 'message.deleted';

type NewEvent =
  | { readonly type: MessageEventType; readonly data: StoredMessage }
  | { readonly type: 'reaction.added' | 'reaction.removed'; readonly data: ChatReaction };

/** Writes an event and wakes the readers after the commit. */
export async function record(
  ports: ChatPorts,
  tx: ChatTransaction,
  position: number,
  event: NewEvent,
): Promise<void> {
  const messageId = 'id' in event.data ? event.data.id : event.data.message_id;
  await tx
    .insertInto('chat_events')
    .values({
      position,
      type: event.type,
      channel_id: event.data.channel_id,
      message_id: messageId,
      data: JSON.stringify(event.data),
    })
    .execute();
  await cut(tx, position, ports.limits.eventsKept);
  ports.store.notify(LOG_CHANNEL);
}

/** Takes a deleted message's text out of the events that told it. */
export async function emptyEventsOf(tx: ChatTransaction, tombstone: StoredMessage): Promise<void> {
  await tx
    .updateTable('chat_events')
    .set({ data: JSON.stringify(tombstone) })
    .where('message_id', '=', tombstone.id)
    .where('type', 'in', ['message.created', 'message.updated'])
    .execute();
}

/** Keeps the log to its bound. */
async function cut(tx: ChatTransaction, position: number, kept: number): Promise<void> {
  const pruned = await cutPosition(tx);
  const due = position - kept;
  if (due - pruned < Math.max(1, kept / CUTS_PER_LOG)) return;
  await tx.deleteFrom('chat_events').where('position', '<=', due).execute();
  await tx.updateTable('chat_sequence').set({ pruned: due }).where('id', '=', 1).execute();
}

/** The newest position; the cursor of somebody who wants only what comes. */
export async function newestPosition(db: Kysely<ChatTables>): Promise<number> {
  const row = await db
    .selectFrom('chat_sequence')
    .select('value')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Up to here the log was cut: of what came earlier, reactions are told no more. */
export async function cutPosition(db: Kysely<ChatTables>): Promise<number> {
  const row = await db
    .selectFrom('chat_sequence')
    .select('pruned')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return row.pruned;
}

/** At most `limit` events after the cursor, oldest first; empty only when there are none. */
export async function eventsAfter(
  ports: ChatPorts,
  cursor: number,
  limit: number,
  scope: ChannelScope = {},
): Promise<ChatEvent[]> {
  const { db } = ports.store;
  const rows = await db
    .selectFrom('chat_events')
    .selectAll()
    .where('position', '>', cursor)
    .where(within(scope))
    .orderBy('position')
    .limit(limit)
    .execute();
  // Read after the rows: a cut between the two can then only be noticed, never missed.
  const pruned = await cutPosition(db);
  if (cursor >= pruned) return rows.map((row) => parse(row, ports.publicUrl()));
  const stoodIn = await standIns(ports, cursor, pruned, limit, scope);
  return stoodIn.length > 0 ? stoodIn : eventsAfter(ports, pruned, limit, scope);
}

/**
 * What is told in place of the events from `cursor` to `end` that were cut away: each message that was made,
 * edited or deleted then, in its present state. So a reader that was away for long loses no message; only the
 * coming and going of reactions is left to the state of the messages.
 */
async function standIns(
  ports: ChatPorts,
  cursor: number,
  end: number,
  limit: number,
  scope: ChannelScope,
): Promise<ChatEvent[]> {
  const { db } = ports.store;
  const touched = (column: 'position' | 'changed') =>
    db
      .selectFrom('chat_messages')
      .selectAll()
      .where(column, '>', cursor)
      .where(column, '<=', end)
      .where(within(scope))
      .orderBy(column)
      .limit(limit)
      .execute();
  const created = await touched('position');
  const changed = await touched('changed');
  const publicUrl = ports.publicUrl();
  const tell = async (
    rows: readonly MessageRow[],
    place: (row: MessageRow) => { at: number | null; type: MessageEventType },
  ) => {
    const messages = await assemble(db, rows);
    return rows.flatMap((row, index): ChatEvent[] => {
      const data = messages[index];
      const { at, type } = place(row);
      if (data === undefined || at === null) return [];
      return [{ cursor: at, type, channelId: row.channel_id, data: present(data, publicUrl) }];
    });
  };
  const events = [
    ...(await tell(created, (row) => ({ at: row.position, type: 'message.created' }))),
    ...(await tell(changed, (row) => ({
      at: row.changed,
      type: row.deleted_us === null ? 'message.updated' : 'message.deleted',
    }))),
  ];
  return events.sort((left, right) => left.cursor - right.cursor).slice(0, limit);
}

function parse(
  row: { position: number; type: string; channel_id: string; data: string },
  publicUrl: string,
): ChatEvent {
  const data: unknown = JSON.parse(row.data);
  const place = { cursor: row.position, channelId: row.channel_id };
  switch (row.type) {
    case 'reaction.added':
    case 'reaction.removed':
      return { ...place, type: row.type, data: data as ChatReaction };
    case 'message.created':
    case 'message.updated':
    case 'message.deleted':
      return { ...place, type: row.type, data: present(data as StoredMessage, publicUrl) };
    default:
      throw new Error(`event ${row.position} is of the unknown type ${row.type}`);
  }
}
