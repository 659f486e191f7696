import { fail } from '../errors.ts';
import type { MessageRow } from '../messages/envelopes.ts';
import { nextReceiveTime } from '../messages/receive-time.ts';
import { addToUnread } from '../messages/unread.ts';
import { FEED_CHANNEL, type InboxPorts, type InboxTransaction } from '../ports.ts';
import { enqueueWebhooks } from '../webhooks/enqueue.ts';
import { recordAct } from './audit.ts';

/**
 * What strangers wrote, newest first; deleted messages are no longer there to review. Pages go by id, which a
 * message keeps when it is released and so leaves the list.
 */
export async function quarantinePage(
  { store }: Pick<InboxPorts, 'store'>,
  page: { limit: number; beforeMessageId: string | null },
): Promise<MessageRow[]> {
  let query = store.db
    .selectFrom('inbox_messages')
    .selectAll()
    .where('state', '=', 'quarantined')
    .where('deleted_us', 'is', null)
    .orderBy('message_id', 'desc')
    .limit(page.limit);
  if (page.beforeMessageId !== null) query = query.where('message_id', '<', page.beforeMessageId);
  return query.execute();
}

/**
 * Lets one message out of quarantine: it becomes unread for every agent at a new receive time, and its
 * webhook fires.
 *
 * @throws Failure MESSAGE_NOT_FOUND when no message of that id is in quarantine.
 */
export async function releaseMessage(
  ports: InboxPorts,
  messageId: string,
  actor: string,
): Promise<MessageRow> {
  const released = await ports.store.transaction(async (tx) => {
    const message = await tx
      .selectFrom('inbox_messages')
      .selectAll()
      .where('message_id', '=', messageId)
      .where('state', '=', 'quarantined')
      .where('deleted_us', 'is', null)
      .executeTakeFirst();
    if (!message) throw fail('MESSAGE_NOT_FOUND', `No message ${messageId} is in quarantine.`);
    const now = await releaseInto(tx, ports, message);
    if (!now) throw fail('MESSAGE_NOT_FOUND', `No message ${messageId} is in quarantine.`);
    await recordAct(tx, ports, { actor, action: 'quarantine.release', target: messageId });
    return now;
  });
  ports.store.notify(FEED_CHANNEL);
  return released;
}

/** Releases all that a sender has in quarantine, oldest first; answers how many. */
export async function releaseSender(
  tx: InboxTransaction,
  ports: InboxPorts,
  sender: { source: string; senderId: string },
): Promise<number> {
  const waiting = await tx
    .selectFrom('inbox_messages')
    .selectAll()
    .where('source', '=', sender.source)
    .where('sender_id', '=', sender.senderId)
    .where('state', '=', 'quarantined')
    .where('deleted_us', 'is', null)
    .orderBy('received_us')
    .execute();
  let released = 0;
  for (const message of waiting) if (await releaseInto(tx, ports, message)) released += 1;
  return released;
}

/** Null when another process has released the message in the meantime. */
async function releaseInto(
  tx: InboxTransaction,
  ports: InboxPorts,
  message: MessageRow,
): Promise<MessageRow | null> {
  const receivedUs = await nextReceiveTime(tx, ports.clock);
  const changed = await tx
    .updateTable('inbox_messages')
    .set({ state: 'accepted', received_us: receivedUs, feed_us: receivedUs })
    .where('message_id', '=', message.message_id)
    .where('state', '=', 'quarantined')
    .where('deleted_us', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (!changed) return null;
  await tx
    .updateTable('inbox_channels')
    .set((update) => ({ message_count: update('message_count', '+', 1), last_message_us: receivedUs }))
    .where('channel_id', '=', message.channel_id)
    .execute();
  await addToUnread(tx, {
    messageId: message.message_id,
    receivedUs,
    channelId: message.channel_id,
    source: message.source,
  });
  await enqueueWebhooks(tx, ports, [{ type: 'message.received', message: changed }]);
  return changed;
}
