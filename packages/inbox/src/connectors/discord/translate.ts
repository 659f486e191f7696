import type { InboundAttachment, InboundEvent } from '../connector.ts';
import { channelIdOf } from './ids.ts';
import {
  bulkDeleteSchema,
  type DiscordMessage,
  deleteSchema,
  messageSchema,
  updateSchema,
} from './payloads.ts';

/** Messages that people write: plain ones and replies. The other types tell of joins, pins, boosts and the like. */
const WRITTEN = new Set([0, 19]);
/** A reference of this type forwards a message instead of answering it. */
const FORWARD = 1;

/** Who speaks in a channel, as far as its messages do not say. */
export interface Surroundings {
  readonly selfId: string | null;
  readonly type: 'dm' | 'group';
  readonly name: string | undefined;
}

/** Fetches the bytes behind one of Discord's links. */
export type FetchBytes = (url: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/**
 * What a message means to the inbox; nothing for what no person wrote. The account's own messages are recorded where
 * they are sent, and bots are passed over, because two of them would answer each other without end.
 *
 * @param payload As Discord has it, from an event or from REST.
 */
export function messageEvents(
  payload: unknown,
  around: Surroundings,
  fetchBytes: FetchBytes,
): InboundEvent[] {
  const parsed = messageSchema.safeParse(payload);
  if (!parsed.success) return [];
  const message = parsed.data;
  if (!isFromPerson(message, around.selfId) || !WRITTEN.has(message.type)) return [];
  const { author, member, message_reference: reference } = message;
  const isForward = reference?.type === FORWARD;
  const raw = payload as Record<string, unknown>;
  const { content, attachments } = spoken(message);
  const keys = keysOf(attachments);
  const event: InboundEvent = {
    kind: 'message',
    platformId: message.id,
    channel: {
      id: channelIdOf(around.type, message.channel_id),
      type: around.type,
      ...(around.name === undefined ? {} : { name: around.name }),
    },
    sender: {
      id: author.id,
      displayName: member?.nick || author.global_name || author.username || author.id,
    },
    text: content,
    attachments: attachments.map((attachment) => inboundAttachment(attachment, fetchBytes)),
    replyToPlatformId: isForward ? null : (reference?.message_id ?? null),
    timestampMs: Date.parse(message.timestamp),
    raw,
  };
  // What was stored before it was changed learns of the change; to what is new it changes nothing.
  return message.edited_timestamp
    ? [event, { kind: 'edit', platformId: message.id, text: content, raw, ...keys }]
    : [event];
}

/** Whether a person wrote it: neither this account nor a bot, an application or a webhook. */
function isFromPerson(
  message: { author?: { id: string; bot: boolean } | undefined; webhook_id?: string | null | undefined },
  selfId: string | null,
): boolean {
  return !message.author?.bot && !message.webhook_id && message.author?.id !== selfId;
}

/** A forwarded message says nothing itself, and holds copies of what it forwards. */
function spoken({
  content,
  attachments,
  message_snapshots: snapshots,
}: Pick<DiscordMessage, 'content' | 'attachments' | 'message_snapshots'>) {
  if (!snapshots?.length) return { content, attachments };
  const all = [{ content, attachments }, ...snapshots.flatMap((snapshot) => snapshot?.message ?? [])];
  return {
    content: all.flatMap((part) => (part.content === '' ? [] : [part.content])).join('\n'),
    attachments: all.flatMap((part) => part.attachments),
  };
}

/** What is there to be kept of files, where all of them have ids; nothing is taken away on a guess. */
function keysOf(attachments: DiscordMessage['attachments']): { attachmentKeys?: readonly string[] } {
  const ids = attachments.flatMap(({ id }) => id ?? []);
  return ids.length === attachments.length ? { attachmentKeys: ids } : {};
}

/** What an update means. One without a text tells of embeds, pins and the like. */
export function updateEvents(payload: unknown, selfId: string | null): InboundEvent[] {
  const parsed = updateSchema.safeParse(payload);
  if (!parsed.success) return [];
  const {
    id,
    content,
    attachments,
    message_reference: reference,
    message_snapshots: snapshots,
  } = parsed.data;
  if (content === undefined || !isFromPerson(parsed.data, selfId)) return [];
  // What a forward says stands in its copies alone, and without them the update says nothing of it.
  if (reference?.type === FORWARD && !snapshots?.length) return [];
  const said = spoken({ content, attachments: attachments ?? [], message_snapshots: snapshots });
  const raw = payload as Record<string, unknown>;
  const keys = attachments === undefined ? {} : keysOf(said.attachments);
  return [{ kind: 'edit', platformId: id, text: said.content, raw, ...keys }];
}

/** What the end of one message, or of many at once, means. */
export function deleteEvents(payload: unknown): InboundEvent[] {
  const bulk = bulkDeleteSchema.safeParse(payload);
  if (bulk.success) return bulk.data.ids.map((id) => ({ kind: 'delete', platformId: id }));
  const one = deleteSchema.safeParse(payload);
  return one.success ? [{ kind: 'delete', platformId: one.data.id }] : [];
}

/** What it means that messages are there no longer. */
export function goneEvents(ids: readonly bigint[]): InboundEvent[] {
  return ids.map((id) => ({ kind: 'delete', platformId: String(id) }));
}

function inboundAttachment(
  { id, filename, size, url }: DiscordMessage['attachments'][number],
  fetchBytes: FetchBytes,
): InboundAttachment {
  return {
    ...(id === undefined ? {} : { key: id }),
    name: filename,
    sizeBytes: size,
    async open(signal) {
      if (url === null) throw new Error('Discord gave no link for the file');
      return fetchBytes(url, signal);
    },
  };
}
