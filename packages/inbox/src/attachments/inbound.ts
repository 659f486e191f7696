import { sanitizeName } from '@postern/kit';
import { BlobTooLargeError } from '@postern/store';
import type { InboundAttachment } from '../connectors/connector.ts';
import { abortable, untilAborted, withDeadline } from '../deadline.ts';
import type { InboxPorts } from '../ports.ts';
import { discardStaged, type StagedAttachment, stageBytes } from './staged.ts';

/** How long one inbound attachment may take to arrive. */
const ATTACHMENT_DEADLINE_MS = 60_000;

/** What became of a message's attachments: those that are kept, and why the others are not. */
export interface InboundAttachments {
  readonly kept: readonly StagedAttachment[];
  readonly missing: readonly MissingAttachment[];
}

export interface MissingAttachment {
  readonly name: string;
  readonly size_bytes: number;
  /** The reason, as a phrase. */
  readonly missing: string;
  /** The platform's name for it, as in {@link InboundAttachment}. */
  readonly key?: string;
}

/**
 * Copies what a platform offers into the hub's store, since its links expire. One that is too large or does not
 * come is noted instead, so that it never holds up its message.
 *
 * @throws what the hub's own store throws: the message may be handed in again later. Nothing stays then.
 */
export async function keepInbound(
  ports: InboxPorts,
  source: string,
  attachments: readonly InboundAttachment[],
): Promise<InboundAttachments> {
  const kept: StagedAttachment[] = [];
  const missing: MissingAttachment[] = [];
  try {
    for (const attachment of attachments) {
      const result = await keepOne(ports, source, attachment);
      if ('missing' in result) missing.push(result);
      else kept.push(result);
    }
    return { kept, missing };
  } catch (error) {
    await discardStaged(ports, kept);
    throw error;
  }
}

/** The platform's part in a failure to keep an attachment. */
class SourceError extends Error {
  override readonly name = 'SourceError';
}

async function keepOne(
  ports: InboxPorts,
  source: string,
  attachment: InboundAttachment,
): Promise<StagedAttachment | MissingAttachment> {
  const { maxBytes } = ports.config.attachments;
  const missing = (reason: string) => ({
    name: sanitizeName(attachment.name, 'attachment'),
    size_bytes: attachment.sizeBytes,
    missing: reason,
    ...(attachment.key === undefined ? {} : { key: attachment.key }),
  });
  const tooLarge = `larger than inbox.attachments.maxBytes (${maxBytes})`;
  if (attachment.sizeBytes > maxBytes) return missing(tooLarge);
  try {
    return await withDeadline(ports.clock, ATTACHMENT_DEADLINE_MS, (signal) =>
      stageBytes(ports, attachment.name, bytesOf(attachment, signal), maxBytes, attachment.key),
    );
  } catch (error) {
    if (error instanceof BlobTooLargeError) return missing(tooLarge);
    if (!(error instanceof SourceError)) throw error;
    ports.log.warn({ err: error.cause, source }, 'an inbound attachment could not be fetched');
    return missing('could not be fetched from the platform');
  }
}

async function* bytesOf(attachment: InboundAttachment, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const bytes = await untilAborted(attachment.open(signal), signal);
    yield* abortable(bytes, signal);
  } catch (error) {
    throw new SourceError('the platform did not hand the attachment over', { cause: error });
  }
}
