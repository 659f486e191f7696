import { basename } from 'node:path';
import { BlobTooLargeError } from '@postern/store';
import { openAllowedFile } from '../attachments/local-file.ts';
import { discardStaged, type StagedAttachment, stageBytes } from '../attachments/staged.ts';
import { ownAttachmentId } from '../attachments/urls.ts';
import type { OutboundFile } from '../connectors/connector.ts';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';

/** What an agent names: exactly one of an address and a path. */
export interface AttachmentRequest {
  readonly url?: string | undefined;
  readonly path?: string | undefined;
}

export interface StagedFile extends OutboundFile, StagedAttachment {}

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
    const blob = own && (await ports.blobs.open(ownId));
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
  return stage(ports, nameIn(address), fetched, maxBytes);
}

/** The last step of an address' path, as people read it. */
function nameIn(address: URL): string {
  const name = basename(address.pathname);
  try {
    return basename(decodeURIComponent(name));
  } catch {
    return name;
  }
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
  try {
    const staged = await stageBytes(ports, name, bytes, maxBytes);
    return {
      ...staged,
      open: async () => {
        const blob = await ports.blobs.open(staged.attachmentId);
        if (!blob) throw new Error(`the staged attachment ${staged.attachmentId} is gone`);
        return blob.stream();
      },
    };
  } catch (error) {
    if (error instanceof BlobTooLargeError) {
      throw fail('ATTACHMENT_TOO_LARGE_FOR_PLATFORM', `The attachment has more than ${maxBytes} bytes.`);
    }
    throw error;
  }
}
