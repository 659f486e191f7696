import { basename } from 'node:path';
import { sanitizeName } from '@postern/kit';
import { BlobTooLargeError } from '@postern/store';
import { keepBytes } from '../attachments/keep.ts';
import { openAllowedFile } from '../attachments/local-file.ts';
import { ownAttachmentId } from '../attachments/urls.ts';
import type { OutboundFile } from '../connectors/connector.ts';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';

/** What an agent names: exactly one of an address and a path. */
export interface AttachmentRequest {
  readonly url?: string | undefined;
  readonly path?: string | undefined;
}

export interface StagedFile extends OutboundFile {
  readonly attachmentId: string;
}

/**
 * Copies what shall be sent into the hub's own store before the platform is called, so that what is sent is
 * what was checked, and the envelope's address serves the same bytes. On a failure nothing stays.
 */
export async function stageAttachments(
  ports: InboxPorts,
  requests: readonly AttachmentRequest[],
  limits: { maxCount: number; maxBytes: number },
  signal: AbortSignal,
): Promise<StagedFile[]> {
  if (requests.length > limits.maxCount) {
    throw fail(
      'VALIDATION_FAILED',
      `The platform takes at most ${limits.maxCount} attachments in a message.`,
      {
        violations: [
          { field: 'attachments', code: 'too_many', message: `must hold at most ${limits.maxCount}` },
        ],
      },
    );
  }
  const staged: StagedFile[] = [];
  try {
    for (const [index, request] of requests.entries()) {
      staged.push(await stageOne(ports, request, `attachments.${index}`, limits.maxBytes, signal));
    }
    return staged;
  } catch (error) {
    await discardStaged(ports, staged);
    throw error;
  }
}

/** Forgets staged files of a send that did not happen. */
export async function discardStaged(ports: InboxPorts, staged: readonly StagedFile[]): Promise<void> {
  for (const file of staged) {
    await ports.store.db
      .deleteFrom('inbox_attachments')
      .where('attachment_id', '=', file.attachmentId)
      .where('message_id', 'is', null)
      .execute();
    await ports.blobs.delete(file.attachmentId);
  }
}

async function stageOne(
  ports: InboxPorts,
  request: AttachmentRequest,
  field: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<StagedFile> {
  if (request.path !== undefined) {
    const file = await openAllowedFile(request.path, `${field}.path`, {
      allowedDirs: ports.config.attachments.allowedDirs,
      maxBytes,
    });
    try {
      return await stage(ports, file.name, file.handle.createReadStream({ autoClose: false }), maxBytes);
    } finally {
      await file.handle.close();
    }
  }
  const address = new URL(request.url ?? '');
  const ownId = ownAttachmentId(ports.publicUrl(), address);
  if (ownId !== null) {
    const own = await ownAttachment(ports, ownId);
    const blob = await ports.blobs.open(ownId);
    if (!own || !blob) throw fail('MESSAGE_NOT_FOUND', `The hub holds no attachment ${ownId}.`);
    return stage(ports, own.name, blob.stream(), maxBytes);
  }
  if (!ports.config.attachments.fetchUrls) {
    const message =
      'Fetching attachments from other servers is off; the operator can turn on inbox.attachments.fetchUrls.';
    throw fail('VALIDATION_FAILED', message, {
      violations: [{ field: `${field}.url`, code: 'not_allowed', message }],
    });
  }
  const fetched = await ports.fetchAttachment(address, `${field}.url`, maxBytes, signal);
  return stage(ports, basename(address.pathname), fetched, maxBytes);
}

/** An attachment of the hub that an agent may see: its message is not in quarantine. */
async function ownAttachment(ports: InboxPorts, attachmentId: string) {
  return ports.store.db
    .selectFrom('inbox_attachments')
    .innerJoin('inbox_messages', 'inbox_messages.message_id', 'inbox_attachments.message_id')
    .select(['inbox_attachments.name'])
    .where('inbox_attachments.attachment_id', '=', attachmentId)
    .where('inbox_attachments.available', '=', 1)
    .where('inbox_messages.state', '=', 'accepted')
    .executeTakeFirst();
}

async function stage(
  ports: InboxPorts,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StagedFile> {
  const attachmentId = ports.newId('att');
  const safeName = sanitizeName(name, 'attachment');
  const row = {
    attachment_id: attachmentId,
    message_id: null,
    position: 0,
    name: safeName,
    mime: 'application/octet-stream',
    size_bytes: 0,
    available: 1,
    created_us: ports.clock.nowMicroseconds(),
  };
  // The row comes first: bytes without a row could never be swept up.
  await ports.store.db.insertInto('inbox_attachments').values(row).execute();
  try {
    const { mime, sizeBytes } = await keepBytes(ports.blobs, attachmentId, bytes, maxBytes);
    await ports.store.db
      .updateTable('inbox_attachments')
      .set({ mime, size_bytes: sizeBytes })
      .where('attachment_id', '=', attachmentId)
      .execute();
    return {
      attachmentId,
      name: safeName,
      mime,
      sizeBytes,
      open: async () => {
        const blob = await ports.blobs.open(attachmentId);
        if (!blob) throw new Error(`the staged attachment ${attachmentId} is gone`);
        return blob.stream();
      },
    };
  } catch (error) {
    await ports.store.db.deleteFrom('inbox_attachments').where('attachment_id', '=', attachmentId).execute();
    await ports.blobs.delete(attachmentId);
    if (error instanceof BlobTooLargeError) {
      throw fail('ATTACHMENT_TOO_LARGE_FOR_PLATFORM', `The attachment has more than ${maxBytes} bytes.`);
    }
    throw error;
  }
}

/** Removes what sends that died left staged. */
export async function sweepStaged(ports: InboxPorts, olderThanUs: number): Promise<void> {
  const stale = await ports.store.db
    .deleteFrom('inbox_attachments')
    .where('message_id', 'is', null)
    .where('created_us', '<', olderThanUs)
    .returning('attachment_id')
    .execute();
  for (const row of stale) await ports.blobs.delete(row.attachment_id);
}
