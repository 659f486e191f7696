import type { Readable } from 'node:stream';
import { problem } from '@postern/http';
import { checked, refuse } from './checks.ts';
import { SNIFFED_BYTES, sniffMime } from './mime.ts';
import type { ChatPorts, ChatTransaction } from './ports.ts';
import { fileName, mediaType } from './shapes.ts';
import { storable } from './text.ts';

/** A file on its way in. */
export interface NewAttachment {
  readonly name: string;
  /** Media type as the sender knows it. */
  readonly mime: string;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** A stored file. */
export interface AttachmentFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  open(): Promise<Readable>;
}

interface StagedFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
}

/** A blob that nobody claimed for so long belongs to a process that died. */
const ABANDONED_MICROSECONDS = 3_600_000_000;
/** Blobs that one sweep looks at. */
const SWEPT_AT_ONCE = 1_000;

/**
 * Stores the bytes of a message's files before its transaction. Each is on the list of loose blobs first, so
 * that a crash leaves nothing behind that the next sweep does not find.
 *
 * @throws Failure validation_failed for too many files, a bad name or type; body_too_large for a big one.
 */
export async function stage(ports: ChatPorts, files: readonly NewAttachment[]): Promise<StagedFile[]> {
  const { attachmentsPerMessage } = ports.limits;
  if (files.length > attachmentsPerMessage) {
    refuse(
      'attachments',
      'too_many',
      `must have at most ${attachmentsPerMessage} items, found ${files.length}`,
    );
  }
  for (const [index, file] of files.entries()) {
    checked(fileName, file.name, `attachments.${index}.name`);
    checked(mediaType, file.mime, `attachments.${index}.mime`);
  }
  const staged: StagedFile[] = [];
  try {
    for (const [index, file] of files.entries()) {
      const id = ports.newId('file');
      await loosen(ports, ports.store.db, [id]);
      staged.push({ id, name: file.name, mime: '', sizeBytes: 0 });
      staged[index] = await put(ports, id, file, `attachments.${index}`);
    }
    return staged;
  } catch (error) {
    await discard(
      ports,
      staged.map((file) => file.id),
    );
    throw error;
  }
}

async function put(ports: ChatPorts, id: string, file: NewAttachment, field: string): Promise<StagedFile> {
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  async function* watched() {
    for await (const chunk of await file.open()) {
      if (sizeBytes < SNIFFED_BYTES) head.push(chunk.subarray(0, SNIFFED_BYTES - sizeBytes));
      sizeBytes += chunk.length;
      if (sizeBytes > ports.limits.attachmentBytes) {
        throw problem(
          'body_too_large',
          `${field}: a file has at most ${ports.limits.attachmentBytes} bytes.`,
        );
      }
      yield chunk;
    }
  }
  await ports.blobs.put(id, watched());
  const mime = await sniffMime(Buffer.concat(head), file.mime);
  return { id, name: storable(file.name), mime, sizeBytes };
}

/** Gives staged files to their message. */
export async function attach(
  tx: ChatTransaction,
  messageId: string,
  files: readonly StagedFile[],
): Promise<void> {
  if (files.length === 0) return;
  await tx
    .insertInto('chat_attachments')
    .values(
      files.map((file, ordinal) => ({
        attachment_id: file.id,
        message_id: messageId,
        ordinal,
        name: file.name,
        mime: file.mime,
        size_bytes: file.sizeBytes,
      })),
    )
    .execute();
  await tx
    .deleteFrom('chat_loose_blobs')
    .where(
      'blob_id',
      'in',
      files.map((file) => file.id),
    )
    .execute();
}

/** Takes the files of a deleted message away; gives the blobs to {@link discard} after the commit. */
export async function detach(ports: ChatPorts, tx: ChatTransaction, messageId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('chat_attachments')
    .where('message_id', '=', messageId)
    .returning('attachment_id')
    .execute();
  const ids = rows.map((row) => row.attachment_id);
  await loosen(ports, tx, ids);
  return ids;
}

/** Deletes loose blobs. One that can't be deleted now stays on the list for a later sweep. */
export async function discard(ports: ChatPorts, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    try {
      await ports.blobs.delete(id);
      await ports.store.db.deleteFrom('chat_loose_blobs').where('blob_id', '=', id).execute();
    } catch {
      // Whoever called has an answer of their own to give, and the list remembers.
    }
  }
}

/** Deletes the blobs that processes left behind when they died. */
export async function sweepBlobs(ports: ChatPorts): Promise<void> {
  const rows = await ports.store.db
    .selectFrom('chat_loose_blobs')
    .select('blob_id')
    .where('since_us', '<', ports.clock.nowMicroseconds() - ABANDONED_MICROSECONDS)
    .limit(SWEPT_AT_ONCE)
    .execute();
  await discard(
    ports,
    rows.map((row) => row.blob_id),
  );
}

/** A file of a message, or null when it is unknown or gone. */
export async function readAttachment(ports: ChatPorts, id: string): Promise<AttachmentFile | null> {
  const row = await ports.store.db
    .selectFrom('chat_attachments')
    .selectAll()
    .where('attachment_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id,
    name: row.name,
    mime: row.mime,
    sizeBytes: row.size_bytes,
    open: async () => {
      const blob = await ports.blobs.open(id);
      if (blob === undefined) throw problem('not_found', `No attachment ${id} exists.`);
      return blob.stream();
    },
  };
}

async function loosen(
  ports: ChatPorts,
  db: Pick<ChatTransaction, 'insertInto'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const since = ports.clock.nowMicroseconds();
  await db
    .insertInto('chat_loose_blobs')
    .values(ids.map((id) => ({ blob_id: id, since_us: since })))
    .execute();
}
