import type { InboxPorts } from '../ports.ts';

/** Rows that are read at a time. */
const PAGE = 500;

/**
 * Lets go of the bytes of attachments that were kept before `olderThanUs`. Their rows stay, so that a message still
 * tells what came with it; the address answers as for any that are gone. The bytes go first: a row that a crash
 * leaves without them is served as gone too, and found again.
 */
export async function expireAttachments(
  { store, blobs }: Pick<InboxPorts, 'store' | 'blobs'>,
  olderThanUs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const expired = await store.db
      .selectFrom('inbox_attachments')
      .select('attachment_id')
      .where('available', '=', 1)
      .where('message_id', 'is not', null)
      .where('created_us', '<', olderThanUs)
      .orderBy('created_us')
      .limit(PAGE)
      .execute();
    for (const { attachment_id } of expired) {
      if (signal.aborted) return;
      await blobs.delete(attachment_id);
      await store.db
        .updateTable('inbox_attachments')
        .set({ available: 0 })
        .where('attachment_id', '=', attachment_id)
        .execute();
    }
    if (expired.length < PAGE) return;
  }
}
