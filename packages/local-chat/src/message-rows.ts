import { formatMilliseconds } from '@postern/kit';
import type { Kysely, Selectable } from 'kysely';
import type { ChatMessage, StoredMessage } from './shapes.ts';
import type { ChatMessageTable, ChatTables } from './tables.ts';

export type MessageRow = Selectable<ChatMessageTable>;

/** `2026-04-25T15:32:11.123Z` of microseconds. */
export function timeText(microseconds: number): string {
  return formatMilliseconds(Math.floor(microseconds / 1_000));
}

/** Messages of rows, in their order, with attachments and reactions; three queries whatever their number. */
export async function assemble(
  db: Kysely<ChatTables>,
  rows: readonly MessageRow[],
): Promise<StoredMessage[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.message_id);
  const attachments = await db
    .selectFrom('chat_attachments')
    .selectAll()
    .where('message_id', 'in', ids)
    .orderBy('ordinal')
    .execute();
  const reactions = await db
    .selectFrom('chat_reactions')
    .selectAll()
    .where('message_id', 'in', ids)
    .orderBy('position')
    .execute();
  const attachmentsOf = Map.groupBy(attachments, (row) => row.message_id);
  const reactionsOf = Map.groupBy(reactions, (row) => row.message_id);
  return rows.map((row) => ({
    id: row.message_id,
    channel_id: row.channel_id,
    thread_id: row.root_id === row.message_id ? null : row.root_id,
    user: { id: row.user_id, name: row.user_name },
    text: row.text,
    reply_to: row.reply_to,
    attachments: (attachmentsOf.get(row.message_id) ?? []).map((file) => ({
      id: file.attachment_id,
      name: file.name,
      mime: file.mime,
      size_bytes: file.size_bytes,
    })),
    reactions: [...Map.groupBy(reactionsOf.get(row.message_id) ?? [], (reaction) => reaction.emoji)].map(
      ([emoji, given]) => ({ emoji, user_ids: given.map((reaction) => reaction.user_id) }),
    ),
    created_at: timeText(row.created_us),
    edited_at: row.edited_us === null ? null : timeText(row.edited_us),
    deleted_at: row.deleted_us === null ? null : timeText(row.deleted_us),
  }));
}

/** One message of its row. */
export async function assembleOne(db: Kysely<ChatTables>, row: MessageRow): Promise<StoredMessage> {
  const [message] = await assemble(db, [row]);
  if (message === undefined) throw new Error(`message ${row.message_id} was not assembled`);
  return message;
}

/** Adds the addresses that hang on the public URL. */
export function present(message: StoredMessage, publicUrl: string): ChatMessage {
  return {
    ...message,
    attachments: message.attachments.map((file) => ({
      ...file,
      url: `${publicUrl}/local/api/attachments/${file.id}`,
    })),
    permalink: `${publicUrl}/chat/${channelNameOf(message.channel_id)}/${message.id}`,
  };
}

const CHANNEL_PREFIX = 'local:';

export function channelIdOf(name: string): string {
  return `${CHANNEL_PREFIX}${name}`;
}

function channelNameOf(channelId: string): string {
  return channelId.slice(CHANNEL_PREFIX.length);
}
