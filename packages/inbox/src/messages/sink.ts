import { sanitizeName } from '@postern/kit';
import type { Selectable } from 'kysely';
import { atOnce } from '../at-once.ts';
import { type InboundAttachments, keepInbound } from '../attachments/inbound.ts';
import {
  attachStaged,
  detachAll,
  detachMissing,
  discardStaged,
  type StagedAttachment,
} from '../attachments/staged.ts';
import type { Connector, ConnectorSink, InboundAttachment, InboundEvent } from '../connectors/connector.ts';
import type { InboxPorts, InboxTransaction } from '../ports.ts';
import { FEED_CHANNEL } from '../ports.ts';
import type { MessageTable } from '../tables.ts';
import { enqueueWebhooks, type WebhookEvent } from '../webhooks/enqueue.ts';
import { readChannelCursors, storeChannelCursors } from './channel-cursors.ts';
import { storableEvent } from './inbound-event.ts';
import {
  absentAttachments,
  absentAttachmentsIn,
  isAwaited,
  storeLateAttachment,
} from './late-attachments.ts';
import { newestPlatformIds } from './newest.ts';
import { lastReceiveTime, nextReceiveTime } from './receive-time.ts';
import { addToUnread, removeFromUnread } from './unread.ts';

type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;

type Discarded = Pick<StagedAttachment, 'attachmentId'>;

/** Messages of a batch whose files are fetched at a time, so that links that hang do not add up. */
const FETCHES_AT_ONCE = 8;
const NO_ATTACHMENTS: InboundAttachments = { kept: [], missing: [] };

/** What became of a stored message: whom to tell, and what is to be discarded after the commit. */
interface Change {
  readonly webhook: WebhookEvent | null;
  readonly discarded: readonly Discarded[];
}

const UNCHANGED: Change = { webhook: null, discarded: [] };
const NO_CURSORS: ReadonlyMap<string, string> = new Map();

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
  const { store, clock, log } = ports;

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

  async function storeMessage(
    tx: InboxTransaction,
    event: MessageEvent,
    attachments: InboundAttachments,
  ): Promise<WebhookEvent | null> {
    const receivedUs = await nextReceiveTime(tx, clock);
    const accepted = await isAllowed(tx, { source: connector.source, sender_id: event.sender.id });
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
      text: event.text,
      reply_to: target && target.channel_id === event.channel.id ? target.message_id : null,
      timestamp_ms: event.timestampMs,
      received_us: receivedUs,
      feed_us: accepted ? receivedUs : null,
      edited_us: null,
      deleted_us: null,
      raw: JSON.stringify({
        ...event.raw,
        ...absentAttachments(attachments.missing, event.pending),
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
    await attachStaged(tx, message.message_id, attachments.kept);
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

  async function isAllowed(tx: InboxTransaction, sender: Pick<MessageTable, 'source' | 'sender_id'>) {
    const entry = await tx
      .selectFrom('inbox_allowlist')
      .select('sender_id')
      .where('source', '=', sender.source)
      .where('sender_id', '=', sender.sender_id)
      .executeTakeFirst();
    return entry !== undefined;
  }

  /**
   * What a sender who is no longer allowed writes into an accepted message would pass the gate unseen; what they take
   * out of it goes, as a deleted message does.
   */
  async function storeEdit(
    tx: InboxTransaction,
    event: Extract<InboundEvent, { kind: 'edit' }>,
  ): Promise<Change> {
    const message = await messageByPlatformId(tx, event.platformId);
    if (!message || message.direction === 'outbound' || message.deleted_us !== null) return UNCHANGED;
    const keys = event.attachmentKeys;
    const discarded = keys === undefined ? [] : await detachMissing(tx, message.message_id, keys);
    const isHeard = message.state !== 'accepted' || (await isAllowed(tx, message));
    const isNewText = isHeard && event.text !== message.text;
    if (!isNewText && discarded.length === 0) return UNCHANGED;
    const changes = {
      edited_us: clock.nowMicroseconds(),
      ...(isHeard
        ? {
            text: event.text,
            raw: JSON.stringify({ ...event.raw, ...absentAttachmentsIn(message.raw, keys) }),
          }
        : {}),
    };
    await tx
      .updateTable('inbox_messages')
      .set(changes)
      .where('message_id', '=', message.message_id)
      .execute();
    return {
      webhook:
        message.state === 'accepted'
          ? { type: 'message.updated', message: { ...message, ...changes } }
          : null,
      discarded,
    };
  }

  async function storeDelete(
    tx: InboxTransaction,
    event: Extract<InboundEvent, { kind: 'delete' }>,
  ): Promise<Change> {
    const message = await messageByPlatformId(tx, event.platformId);
    if (!message || message.direction === 'outbound' || message.deleted_us !== null) return UNCHANGED;
    const changes = { text: '', feed_us: null, deleted_us: clock.nowMicroseconds(), raw: '{}' };
    await tx
      .updateTable('inbox_messages')
      .set(changes)
      .where('message_id', '=', message.message_id)
      .execute();
    await removeFromUnread(tx, message.message_id);
    return {
      webhook:
        message.state === 'accepted'
          ? { type: 'message.deleted', message: { ...message, ...changes } }
          : null,
      discarded: await detachAll(tx, message.message_id),
    };
  }

  /** A file that comes after its message, to which the rule of edits applies as well. */
  async function storeLate(
    tx: InboxTransaction,
    event: Extract<InboundEvent, { kind: 'attachment' }>,
    fetched: InboundAttachments,
  ): Promise<Change> {
    const message = await messageByPlatformId(tx, event.platformId);
    const isWanted =
      message &&
      message.direction === 'inbound' &&
      message.deleted_us === null &&
      (message.state !== 'accepted' || (await isAllowed(tx, message)));
    if (!isWanted) return { webhook: null, discarded: fetched.kept };
    const { message: changed, discarded } = await storeLateAttachment(tx, message, event, fetched);
    return {
      webhook: changed?.state === 'accepted' ? { type: 'message.updated', message: changed } : null,
      discarded,
    };
  }

  function storeChange(
    tx: InboxTransaction,
    event: Exclude<InboundEvent, MessageEvent>,
    fetched: ReadonlyMap<InboundEvent, InboundAttachments>,
  ): Promise<Change> {
    if (event.kind === 'edit') return storeEdit(tx, event);
    if (event.kind === 'delete') return storeDelete(tx, event);
    return storeLate(tx, event, fetched.get(event) ?? NO_ATTACHMENTS);
  }

  /** Attachments are fetched before the transaction, of messages only that are not there yet, or wait for them. */
  async function fetchAttachments(
    events: readonly InboundEvent[],
    fetched: Map<InboundEvent, InboundAttachments>,
  ) {
    await atOnce(FETCHES_AT_ONCE, events, async (event) => {
      const attachments = attachmentsOf(event);
      if (attachments.length === 0) return;
      const message = await messageByPlatformId(store.db, event.platformId);
      // The message of a late attachment may stand in the same batch.
      const isWanted = event.kind !== 'attachment' ? !message : !message || isAwaited(message, event.key);
      if (isWanted) fetched.set(event, await keepInbound(ports, connector.source, attachments));
    });
  }

  async function storeBatch(
    tx: InboxTransaction,
    events: readonly InboundEvent[],
    cursor: string,
    channelCursors: ReadonlyMap<string, string>,
    fetched: ReadonlyMap<InboundEvent, InboundAttachments>,
  ): Promise<Discarded[]> {
    // From here on no other process stores, releases or deletes: what is read below still holds at the commit.
    await lastReceiveTime(tx);
    const webhooks: WebhookEvent[] = [];
    const discarded: Discarded[] = [];
    for (const event of events) {
      if (event.kind === 'message') {
        const attachments = fetched.get(event) ?? NO_ATTACHMENTS;
        if (await messageByPlatformId(tx, event.platformId)) {
          discarded.push(...attachments.kept);
          continue;
        }
        const stored = await storeMessage(tx, event, attachments);
        if (stored) webhooks.push(stored);
      } else {
        const { webhook, discarded: unneeded } = await storeChange(tx, event, fetched);
        if (webhook) webhooks.push(webhook);
        discarded.push(...unneeded);
      }
    }
    await enqueueWebhooks(tx, ports, webhooks);
    await tx
      .insertInto('inbox_cursors')
      .values({ source: connector.source, account: connector.account, cursor })
      .onConflict((conflict) => conflict.columns(['source', 'account']).doUpdateSet({ cursor }))
      .execute();
    await storeChannelCursors(tx, connector, channelCursors);
    return discarded;
  }

  return {
    async accept(received, cursor, channelCursors = NO_CURSORS) {
      const events: InboundEvent[] = [];
      for (const event of received) {
        const storable = storableEvent(event, clock);
        if (storable) events.push(storable);
        else log.warn({ source: connector.source }, 'an event with an id that is none was passed over');
      }
      const fetched = new Map<InboundEvent, InboundAttachments>();
      let discarded: Discarded[];
      try {
        await fetchAttachments(events, fetched);
        discarded = await store.transaction((tx) => storeBatch(tx, events, cursor, channelCursors, fetched));
      } catch (error) {
        await discardStaged(
          ports,
          [...fetched.values()].flatMap(({ kept }) => kept),
        );
        throw error;
      }
      store.notify(FEED_CHANNEL);
      await discardStaged(ports, discarded);
    },
    channelCursors: () => readChannelCursors(store.db, connector),
    newestIn: (channelId) => newestPlatformIds(store.db, connector, channelId),
  };
}

function attachmentsOf(event: InboundEvent): readonly InboundAttachment[] {
  if (event.kind === 'message') return event.attachments;
  return event.kind === 'attachment' && event.attachment !== null ? [event.attachment] : [];
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
