import { sanitizeName, storableText } from '@postern/kit';
import { BlobTooLargeError } from '@postern/store';
import type { Selectable } from 'kysely';
import { keepBytes } from '../attachments/keep.ts';
import type { Connector, ConnectorSink, InboundAttachment, InboundEvent } from '../connectors/connector.ts';
import type { InboxPorts, InboxTransaction } from '../ports.ts';
import { FEED_CHANNEL } from '../ports.ts';
import type { MessageTable } from '../tables.ts';
import { enqueueWebhooks, type WebhookEvent } from '../webhooks/enqueue.ts';
import { nextReceiveTime } from './receive-time.ts';
import { addToUnread, removeFromUnread } from './unread.ts';

type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;

interface KeptAttachment {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
}

/** How long one inbound attachment may take to arrive. */
const ATTACHMENT_DEADLINE_MS = 60_000;

/** Called after a stranger's message was stored, in its transaction. */
export type OnStranger = (
  tx: InboxTransaction,
  stranger: {
    source: string;
    senderId: string;
    displayName: string;
    channelId: string;
    channelType: 'dm' | 'group';
  },
) => Promise<void>;

/**
 * The one write path for what people send. A batch is stored with its attachments, unread rows, webhook
 * rows and the connector's cursor in one transaction; what was stored before is passed over by its
 * platform id, so a batch may be handed in again after a crash.
 */
export function createSink(
  ports: InboxPorts,
  connector: Pick<Connector, 'source' | 'account'>,
  onStranger: OnStranger,
): ConnectorSink {
  const { store, clock } = ports;

  async function messageByPlatformId(db: Pick<InboxTransaction, 'selectFrom'>, platformId: string) {
    return db
      .selectFrom('inbox_platform_ids')
      .innerJoin('inbox_messages', 'inbox_messages.message_id', 'inbox_platform_ids.message_id')
      .selectAll('inbox_messages')
      .where('inbox_platform_ids.source', '=', connector.source)
      .where('inbox_platform_ids.account', '=', connector.account)
      .where('inbox_platform_ids.platform_id', '=', platformId)
      .executeTakeFirst();
  }

  /** Attachments are fetched before the transaction; their bytes are orphans, and swept, if it fails. */
  async function keepAttachments(event: MessageEvent): Promise<{ kept: KeptAttachment[]; notes: object[] }> {
    const kept: KeptAttachment[] = [];
    const notes: object[] = [];
    for (const attachment of event.attachments) {
      const result = await keepAttachment(attachment);
      if ('id' in result) kept.push(result);
      else notes.push(result);
    }
    return { kept, notes };
  }

  async function keepAttachment(
    attachment: InboundAttachment,
  ): Promise<KeptAttachment | { name: string; size_bytes: number; missing: string }> {
    const { maxBytes } = ports.config.attachments;
    const missing = (reason: string) => ({
      name: sanitizeName(attachment.name, 'attachment'),
      size_bytes: attachment.sizeBytes,
      missing: reason,
    });
    if (attachment.sizeBytes > maxBytes)
      return missing(`larger than inbox.attachments.maxBytes (${maxBytes})`);
    const id = ports.newId('att');
    try {
      const bytes = await attachment.open(AbortSignal.timeout(ATTACHMENT_DEADLINE_MS));
      const { mime, sizeBytes } = await keepBytes(ports.blobs, id, bytes, maxBytes);
      return { id, name: sanitizeName(attachment.name, 'attachment'), mime, sizeBytes };
    } catch (error) {
      if (error instanceof BlobTooLargeError)
        return missing(`larger than inbox.attachments.maxBytes (${maxBytes})`);
      ports.log.warn({ err: error, source: connector.source }, 'an inbound attachment could not be fetched');
      return missing('could not be fetched from the platform');
    }
  }

  async function storeMessage(
    tx: InboxTransaction,
    event: MessageEvent,
    attachments: { kept: KeptAttachment[]; notes: object[] },
  ): Promise<WebhookEvent | null> {
    if (await messageByPlatformId(tx, event.platformId)) return null;
    const receivedUs = await nextReceiveTime(tx, clock);
    const entry = await tx
      .selectFrom('inbox_allowlist')
      .select('sender_id')
      .where('source', '=', connector.source)
      .where('sender_id', '=', event.sender.id)
      .executeTakeFirst();
    const accepted = entry !== undefined;
    const displayName = sanitizeName(event.sender.displayName, event.sender.id);
    await touchChannel(tx, connector.source, event.channel, receivedUs, accepted);
    const target =
      event.replyToPlatformId === null ? undefined : await messageByPlatformId(tx, event.replyToPlatformId);
    const message: Selectable<MessageTable> = {
      message_id: ports.newId('msg'),
      source: connector.source,
      channel_id: event.channel.id,
      channel_type: event.channel.type,
      direction: 'inbound',
      state: accepted ? 'accepted' : 'quarantined',
      sender_id: event.sender.id,
      sender_name: displayName,
      text: storableText(event.text),
      reply_to: target && target.channel_id === event.channel.id ? target.message_id : null,
      timestamp_ms: event.timestampMs,
      received_us: receivedUs,
      feed_us: accepted ? receivedUs : null,
      edited_us: null,
      deleted_us: null,
      raw: JSON.stringify({
        ...event.raw,
        ...(attachments.notes.length > 0 ? { missing_attachments: attachments.notes } : {}),
      }),
    };
    await tx.insertInto('inbox_messages').values(message).execute();
    await tx
      .insertInto('inbox_platform_ids')
      .values({
        source: connector.source,
        account: connector.account,
        platform_id: event.platformId,
        message_id: message.message_id,
      })
      .execute();
    await insertAttachments(tx, message.message_id, attachments.kept, receivedUs);
    if (!accepted) {
      await onStranger(tx, {
        source: connector.source,
        senderId: event.sender.id,
        displayName,
        channelId: event.channel.id,
        channelType: event.channel.type,
      });
      return null;
    }
    await addToUnread(tx, {
      messageId: message.message_id,
      receivedUs,
      channelId: message.channel_id,
      source: message.source,
    });
    return { type: 'message.received', message };
  }

  /** What a sender who is no longer allowed writes into an accepted message would pass the gate unseen. */
  async function storeEdit(
    tx: InboxTransaction,
    event: Extract<InboundEvent, { kind: 'edit' }>,
  ): Promise<WebhookEvent | null> {
    const message = await messageByPlatformId(tx, event.platformId);
    if (!message || message.direction === 'outbound' || message.deleted_us !== null) return null;
    if (message.state === 'accepted') {
      const entry = await tx
        .selectFrom('inbox_allowlist')
        .select('sender_id')
        .where('source', '=', message.source)
        .where('sender_id', '=', message.sender_id)
        .executeTakeFirst();
      if (!entry) return null;
    }
    const text = storableText(event.text);
    if (text === message.text) return null;
    const changes = { text, edited_us: clock.nowMicroseconds(), raw: JSON.stringify(event.raw) };
    await tx
      .updateTable('inbox_messages')
      .set(changes)
      .where('message_id', '=', message.message_id)
      .execute();
    return message.state === 'accepted'
      ? { type: 'message.updated', message: { ...message, ...changes } }
      : null;
  }

  async function storeDelete(
    tx: InboxTransaction,
    event: Extract<InboundEvent, { kind: 'delete' }>,
  ): Promise<{ webhook: WebhookEvent | null; blobs: string[] }> {
    const message = await messageByPlatformId(tx, event.platformId);
    if (!message || message.direction === 'outbound' || message.deleted_us !== null)
      return { webhook: null, blobs: [] };
    const changes = { text: '', feed_us: null, deleted_us: clock.nowMicroseconds(), raw: '{}' };
    await tx
      .updateTable('inbox_messages')
      .set(changes)
      .where('message_id', '=', message.message_id)
      .execute();
    await removeFromUnread(tx, message.message_id);
    const removed = await tx
      .deleteFrom('inbox_attachments')
      .where('message_id', '=', message.message_id)
      .returning('attachment_id')
      .execute();
    return {
      webhook:
        message.state === 'accepted'
          ? { type: 'message.deleted', message: { ...message, ...changes } }
          : null,
      blobs: removed.map((row) => row.attachment_id),
    };
  }

  return {
    async accept(events, cursor) {
      const prepared = new Map<InboundEvent, { kept: KeptAttachment[]; notes: object[] }>();
      for (const event of events) {
        if (event.kind !== 'message' || event.attachments.length === 0) continue;
        if (await messageByPlatformId(store.db, event.platformId)) continue;
        prepared.set(event, await keepAttachments(event));
      }
      const goneBlobs: string[] = [];
      await store.transaction(async (tx) => {
        goneBlobs.length = 0;
        const webhooks: WebhookEvent[] = [];
        for (const event of events) {
          if (event.kind === 'message') {
            const stored = await storeMessage(tx, event, prepared.get(event) ?? { kept: [], notes: [] });
            if (stored) webhooks.push(stored);
          } else if (event.kind === 'edit') {
            const edited = await storeEdit(tx, event);
            if (edited) webhooks.push(edited);
          } else {
            const deleted = await storeDelete(tx, event);
            if (deleted.webhook) webhooks.push(deleted.webhook);
            goneBlobs.push(...deleted.blobs);
          }
        }
        await enqueueWebhooks(tx, ports, webhooks);
        await tx
          .insertInto('inbox_cursors')
          .values({ source: connector.source, account: connector.account, cursor })
          .onConflict((conflict) => conflict.columns(['source', 'account']).doUpdateSet({ cursor }))
          .execute();
      });
      store.notify(FEED_CHANNEL);
      for (const id of goneBlobs) await ports.blobs.delete(id);
    },
  };
}

/** Makes a channel known; an accepted message in it counts, a stranger's does not show in the figures. */
export async function touchChannel(
  tx: InboxTransaction,
  source: string,
  channel: { id: string; type: 'dm' | 'group'; name?: string },
  atUs: number,
  accepted: boolean,
): Promise<void> {
  const name = channel.name === undefined ? null : sanitizeName(channel.name, channel.id);
  await tx
    .insertInto('inbox_channels')
    .values({
      channel_id: channel.id,
      source,
      channel_type: channel.type,
      name,
      allow_mass_mentions: 0,
      message_count: accepted ? 1 : 0,
      last_message_us: accepted ? atUs : null,
      created_us: atUs,
    })
    .onConflict((conflict) =>
      conflict.column('channel_id').doUpdateSet((update) => ({
        ...(name === null ? {} : { name }),
        ...(accepted
          ? { message_count: update('inbox_channels.message_count', '+', 1), last_message_us: atUs }
          : {}),
        channel_type: channel.type,
      })),
    )
    .execute();
}

export async function insertAttachments(
  tx: InboxTransaction,
  messageId: string,
  kept: readonly KeptAttachment[],
  atUs: number,
): Promise<void> {
  if (kept.length === 0) return;
  await tx
    .insertInto('inbox_attachments')
    .values(
      kept.map((attachment, position) => ({
        attachment_id: attachment.id,
        message_id: messageId,
        position,
        name: attachment.name,
        mime: attachment.mime,
        size_bytes: attachment.sizeBytes,
        available: 1,
        created_us: atUs,
      })),
    )
    .execute();
}
