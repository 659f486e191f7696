import { sql } from 'kysely';
import { fail } from '../errors.ts';
import type { InboxStore } from '../ports.ts';
import type { MessageRow } from './envelopes.ts';

/**
 * The messages around one, ordered by platform time and then receive time, the target included. What is in
 * quarantine neither shows nor counts.
 *
 * @throws Failure MESSAGE_NOT_FOUND when the target is unknown, quarantined or not in the channel.
 */
export async function contextWindow(
  store: InboxStore,
  request: { channelId: string; messageId: string; before: number; after: number },
): Promise<MessageRow[]> {
  const target = await store.db
    .selectFrom('inbox_messages')
    .selectAll()
    .where('message_id', '=', request.messageId)
    .where('channel_id', '=', request.channelId)
    .where('state', '=', 'accepted')
    .executeTakeFirst();
  if (!target)
    throw fail('MESSAGE_NOT_FOUND', `No message ${request.messageId} is in channel ${request.channelId}.`);
  const side = (direction: 'before' | 'after', limit: number) => {
    const edge = sql`(${target.timestamp_ms}, ${target.received_us})`;
    const order = direction === 'before' ? ('desc' as const) : ('asc' as const);
    return store.db
      .selectFrom('inbox_messages')
      .selectAll()
      .where('channel_id', '=', request.channelId)
      .where('state', '=', 'accepted')
      .where(
        direction === 'before'
          ? sql<boolean>`(timestamp_ms, received_us) < ${edge}`
          : sql<boolean>`(timestamp_ms, received_us) > ${edge}`,
      )
      .orderBy('timestamp_ms', order)
      .orderBy('received_us', order)
      .limit(limit)
      .execute();
  };
  const before = request.before === 0 ? [] : await side('before', request.before);
  const after = request.after === 0 ? [] : await side('after', request.after);
  return [...before.reverse(), target, ...after];
}

/** One accepted message by id. @throws Failure MESSAGE_NOT_FOUND, the same for unknown and quarantined. */
export async function acceptedMessage(store: InboxStore, messageId: string): Promise<MessageRow> {
  const row = await store.db
    .selectFrom('inbox_messages')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('state', '=', 'accepted')
    .executeTakeFirst();
  if (!row) throw fail('MESSAGE_NOT_FOUND', `There is no message ${messageId}.`);
  return row;
}

/** A page of a conversation for the operator, the newest first in reach: oldest first within the page. */
export async function conversationPage(
  store: InboxStore,
  request: { channelId: string; beforeMessageId: string | null; limit: number },
): Promise<{ rows: MessageRow[]; more: boolean }> {
  let query = store.db
    .selectFrom('inbox_messages')
    .selectAll()
    .where('channel_id', '=', request.channelId)
    .where('state', '=', 'accepted')
    .orderBy('timestamp_ms', 'desc')
    .orderBy('received_us', 'desc')
    .limit(request.limit + 1);
  if (request.beforeMessageId !== null) {
    const edge = await store.db
      .selectFrom('inbox_messages')
      .select(['timestamp_ms', 'received_us'])
      .where('message_id', '=', request.beforeMessageId)
      .where('channel_id', '=', request.channelId)
      .executeTakeFirst();
    if (!edge)
      throw fail(
        'MESSAGE_NOT_FOUND',
        `No message ${request.beforeMessageId} is in channel ${request.channelId}.`,
      );
    query = query.where(
      sql<boolean>`(timestamp_ms, received_us) < (${edge.timestamp_ms}, ${edge.received_us})`,
    );
  }
  const rows = await query.execute();
  return { rows: rows.slice(0, request.limit).reverse(), more: rows.length > request.limit };
}
