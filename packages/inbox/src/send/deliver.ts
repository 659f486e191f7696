import { createHash } from 'node:crypto';
import { neutraliseMassMentions, splitText } from '@postern/kit';
import { type Connector, SendError } from '../connectors/connector.ts';
import type { InboxCode } from '../errors.ts';
import type { StagedFile } from './stage.ts';

/** How long one platform call may take, its own retries included. */
const CALL_DEADLINE_MS = 45_000;
/** How long all parts of a message may take together. */
export const DELIVERY_DEADLINE_MS = 10 * 60_000;

export interface DeliveredPart {
  readonly platformId: string;
  readonly timestampMs: number;
  readonly raw: Record<string, unknown>;
  readonly text: string;
}

/** The parts that reached the platform, and what stopped the rest. */
export interface DeliveryResult {
  readonly parts: readonly DeliveredPart[];
  readonly error: {
    readonly code: InboxCode;
    readonly message: string;
    /** `failed`: nothing is there; `partial`: the first parts are; `unknown`: the last part may be. */
    readonly delivery: 'failed' | 'partial' | 'unknown';
  } | null;
}

/**
 * Hands a message to the platform in as many parts as its limit takes; the reply reference goes with the
 * first, attachments with the last. Stops at the first part that fails.
 */
export async function deliver(
  connector: Connector,
  message: {
    channelId: string;
    text: string;
    replyToPlatformId: string | null;
    attachments: readonly StagedFile[];
    allowMassMentions: boolean;
    /** The same for every try of the same send. */
    nonceSeed: string;
  },
): Promise<DeliveryResult> {
  const text = message.allowMassMentions ? message.text : neutraliseMassMentions(message.text);
  const texts = partsOf(text, connector.capabilities.text);
  const parts: DeliveredPart[] = [];
  const deadline = AbortSignal.timeout(DELIVERY_DEADLINE_MS);
  for (const [index, partText] of texts.entries()) {
    const isLast = index === texts.length - 1;
    try {
      const sent = await connector.send(
        {
          channelId: message.channelId,
          text: partText,
          replyToPlatformId: index === 0 ? message.replyToPlatformId : null,
          attachments: isLast ? message.attachments : [],
          nonce: createHash('sha256').update(`${message.nonceSeed}:${index}`).digest('hex').slice(0, 24),
        },
        AbortSignal.any([deadline, AbortSignal.timeout(CALL_DEADLINE_MS)]),
      );
      parts.push({ ...sent, text: partText });
    } catch (error) {
      return { parts, error: describe(error, parts.length, texts.length) };
    }
  }
  return { parts, error: null };
}

/** A part of white space alone is left out: platforms refuse it, and nobody would see it. */
function partsOf(text: string, limit: Connector['capabilities']['text']): string[] {
  const parts = splitText(text, limit).filter((part) => part.trim() !== '');
  return parts.length > 0 ? parts : [text];
}

function describe(error: unknown, sent: number, total: number): DeliveryResult['error'] {
  const kind = error instanceof SendError ? error.kind : 'unknown';
  if (kind === 'unknown') {
    return {
      code: 'PLATFORM_SEND_FAILED',
      message: 'The platform gave no answer in time; the message may have been sent. It is not sent again.',
      delivery: 'unknown',
    };
  }
  const reason = error instanceof Error ? error.message : 'no reason given';
  const prefix = sent > 0 ? `Only the first ${sent} of ${total} parts were sent: ` : '';
  const delivery = sent > 0 ? 'partial' : 'failed';
  if (kind === 'auth')
    return {
      code: 'PLATFORM_AUTH',
      message: `${prefix}the platform refused the hub's credentials.`,
      delivery,
    };
  if (kind === 'too_large')
    return { code: 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM', message: `${prefix}${reason}`, delivery };
  return { code: 'PLATFORM_SEND_FAILED', message: `${prefix}${reason}`, delivery };
}
