import { formatMilliseconds } from '@postern/kit';
import type { Kysely, Selectable } from 'kysely';
import { type AttachmentSigner, type Audience, attachmentUrl } from '../attachments/urls.ts';
import { type Envelope, type Source, sources } from '../envelope.ts';
import type { AttachmentTable, InboxTables, MessageTable } from '../tables.ts';

export type MessageRow = Selectable<MessageTable>;

interface SenderNames {
  readonly displayName: string | null;
  readonly personId: string | null;
}

const senderKey = (row: Pick<MessageRow, 'source' | 'sender_id'>) =>
  JSON.stringify([row.source, row.sender_id]);

/**
 * Turns message rows into envelopes, in the same order. Names of allowlisted senders and attachments are
 * read here, so that an entry changed today shows on old messages too.
 */
export async function envelopesOf(
  db: Kysely<InboxTables>,
  rows: readonly MessageRow[],
  signer: AttachmentSigner,
  audience: Audience,
): Promise<Envelope[]> {
  if (rows.length === 0) return [];
  const attachments = await attachmentsOf(db, rows);
  const names = await namesOf(db, rows);
  return rows.map((row) => {
    const known = row.direction === 'inbound' ? names.get(senderKey(row)) : undefined;
    return {
      id: row.message_id,
      source: sourceOf(row),
      channel_id: row.channel_id,
      channel_type: row.channel_type,
      sender: {
        id: row.sender_id,
        display_name: known?.displayName ?? row.sender_name,
        person_id: known?.personId ?? null,
      },
      text: row.text,
      attachments: (attachments.get(row.message_id) ?? []).map((attachment) => ({
        id: attachment.attachment_id,
        url: attachmentUrl(signer, attachment.attachment_id, audience),
        mime: attachment.mime,
        size_bytes: attachment.size_bytes,
      })),
      reply_to: row.reply_to,
      timestamp: formatMilliseconds(row.timestamp_ms),
      direction: row.direction,
      raw: JSON.parse(row.raw),
    };
  });
}

/** Names of who wrote messages, by message id: the operator's where there is one, else the platform's. */
export async function senderNamesOf(
  db: Kysely<InboxTables>,
  rows: readonly MessageRow[],
): Promise<ReadonlyMap<string, string>> {
  const names = await namesOf(db, rows);
  return new Map(
    rows.map((row) => [row.message_id, names.get(senderKey(row))?.displayName ?? row.sender_name]),
  );
}

function sourceOf(row: Pick<MessageRow, 'source'>): Source {
  const source = sources.find((name) => name === row.source);
  if (!source) throw new Error(`stored message has the unknown source ${row.source}`);
  return source;
}

async function attachmentsOf(db: Kysely<InboxTables>, rows: readonly MessageRow[]) {
  const found = await db
    .selectFrom('inbox_attachments')
    .selectAll()
    .where(
      'message_id',
      'in',
      rows.map((row) => row.message_id),
    )
    .orderBy('message_id')
    .orderBy('position')
    .execute();
  const byMessage = new Map<string, Selectable<AttachmentTable>[]>();
  for (const attachment of found) {
    if (attachment.message_id === null) continue;
    const list = byMessage.get(attachment.message_id) ?? [];
    list.push(attachment);
    byMessage.set(attachment.message_id, list);
  }
  return byMessage;
}

async function namesOf(
  db: Kysely<InboxTables>,
  rows: readonly MessageRow[],
): Promise<Map<string, SenderNames>> {
  const senderIds = [
    ...new Set(rows.filter((row) => row.direction === 'inbound').map((row) => row.sender_id)),
  ];
  if (senderIds.length === 0) return new Map();
  const entries = await db
    .selectFrom('inbox_allowlist')
    .select(['source', 'sender_id', 'display_name', 'person_id'])
    .where('sender_id', 'in', senderIds)
    .execute();
  return new Map(
    entries.map((entry) => [
      senderKey(entry),
      { displayName: entry.display_name, personId: entry.person_id },
    ]),
  );
}
