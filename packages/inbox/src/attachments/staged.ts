import { sanitizeName } from '@postern/kit';
import type { InboxPorts, InboxTransaction } from '../ports.ts';
import { keepBytes } from './keep.ts';

/** Bytes in the hub's store whose message is not recorded yet. */
export interface StagedAttachment {
  readonly attachmentId: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
}

/**
 * Copies bytes into the hub's store. The row comes first: bytes without a row could never be swept up.
 *
 * @throws BlobTooLargeError over `maxBytes`, and whatever reading the bytes throws; nothing stays then.
 */
export async function stageBytes(
  ports: InboxPorts,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  platformKey: string | null = null,
): Promise<StagedAttachment> {
  const attachmentId = ports.newId('att');
  const row = {
    attachment_id: attachmentId,
    message_id: null,
    position: 0,
    name: sanitizeName(name, 'attachment'),
    mime: 'application/octet-stream',
    size_bytes: 0,
    available: 1,
    created_us: ports.clock.nowMicroseconds(),
    platform_key: platformKey,
  };
  await ports.store.db.insertInto('inbox_attachments').values(row).execute();
  try {
    const { mime, sizeBytes } = await keepBytes(ports.blobs, attachmentId, bytes, maxBytes);
    await ports.store.db
      .updateTable('inbox_attachments')
      .set({ mime, size_bytes: sizeBytes })
      .where('attachment_id', '=', attachmentId)
      .execute();
    return { attachmentId, name: row.name, mime, sizeBytes };
  } catch (error) {
    await discardStaged(ports, [{ attachmentId }]);
    throw error;
  }
}

/** Gives staged bytes to the message they belong to, in its transaction and in their order, from a place on. */
export async function attachStaged(
  tx: InboxTransaction,
  messageId: string,
  staged: readonly StagedAttachment[],
  firstPosition = 0,
): Promise<void> {
  for (const [index, { attachmentId }] of staged.entries()) {
    await tx
      .updateTable('inbox_attachments')
      .set({ message_id: messageId, position: firstPosition + index })
      .where('attachment_id', '=', attachmentId)
      .execute();
  }
}

/** Takes a message's attachments away from it. @returns what is to be discarded after the commit. */
export async function detachAll(
  tx: InboxTransaction,
  messageId: string,
): Promise<Pick<StagedAttachment, 'attachmentId'>[]> {
  return tx
    .updateTable('inbox_attachments')
    .set({ message_id: null, available: 0 })
    .where('message_id', '=', messageId)
    .returning('attachment_id as attachmentId')
    .execute();
}

/** Takes away what the platform's message no longer has. @returns what is to be discarded after the commit. */
export async function detachMissing(
  tx: InboxTransaction,
  messageId: string,
  keys: readonly string[],
): Promise<Pick<StagedAttachment, 'attachmentId'>[]> {
  return tx
    .updateTable('inbox_attachments')
    .set({ message_id: null, available: 0 })
    .where('message_id', '=', messageId)
    .where('platform_key', 'is not', null)
    .$if(keys.length > 0, (query) => query.where('platform_key', 'not in', keys))
    .returning('attachment_id as attachmentId')
    .execute();
}

/**
 * Forgets staged bytes; those that have their message by now stay. The row goes last, so that a crash in between
 * leaves something to sweep by. Never throws: what cannot be removed now is swept up later.
 */
export async function discardStaged(
  ports: InboxPorts,
  staged: readonly Pick<StagedAttachment, 'attachmentId'>[],
): Promise<void> {
  try {
    for (const { attachmentId } of staged) {
      const isStaged = await ports.store.db
        .selectFrom('inbox_attachments')
        .select('attachment_id')
        .where('attachment_id', '=', attachmentId)
        .where('message_id', 'is', null)
        .executeTakeFirst();
      if (!isStaged) continue;
      await ports.blobs.delete(attachmentId);
      await ports.store.db
        .deleteFrom('inbox_attachments')
        .where('attachment_id', '=', attachmentId)
        .where('message_id', 'is', null)
        .execute();
    }
  } catch (error) {
    ports.log.warn({ err: error }, 'staged attachments could not be removed yet');
  }
}

/** Removes what processes that died left staged. */
export async function sweepStaged(ports: InboxPorts, olderThanUs: number): Promise<void> {
  const stale = await ports.store.db
    .selectFrom('inbox_attachments')
    .select('attachment_id as attachmentId')
    .where('message_id', 'is', null)
    .where('created_us', '<', olderThanUs)
    .execute();
  await discardStaged(ports, stale);
}
