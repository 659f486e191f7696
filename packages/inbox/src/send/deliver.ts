import { createHash } from 'node:crypto';
import { type Clock, neutraliseMassMentions, splitText } from '@postern/kit';
import { type Connector, type OutboundPart, SendError, type SendErrorKind } from '../connectors/connector.ts';
import { untilAborted, withDeadline } from '../deadline.ts';
import type { InboxCode } from '../errors.ts';
import type { StagedFile } from './stage.ts';

/** How long one platform call may take, its own retries included. */
export const CALL_DEADLINE_MS = 45_000;
/** How long all parts of a message may take together. */
const DELIVERY_DEADLINE_MS = 10 * 60_000;

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
    /** What the connector threw. */
    readonly cause: unknown;
  } | null;
}

/**
 * Hands a message to the platform in as many parts as its limit takes; the reply reference goes with the
 * first, attachments with the last. Stops at the first part that fails, or gives no answer in time.
 */
export async function deliver(
  clock: Clock,
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
  return withDeadline(clock, DELIVERY_DEADLINE_MS, async (deadline) => {
    for (const [index, partText] of texts.entries()) {
      const isLast = index === texts.length - 1;
      try {
        const part = {
          channelId: message.channelId,
          text: partText,
          replyToPlatformId: index === 0 ? message.replyToPlatformId : null,
          attachments: isLast ? message.attachments : [],
          allowMassMentions: message.allowMassMentions,
          nonce: createHash('sha256').update(`${message.nonceSeed}:${index}`).digest('hex').slice(0, 24),
        };
        parts.push({ ...(await sendPart(clock, connector, part, deadline)), text: partText });
      } catch (error) {
        return { parts, error: describe(error, parts.length, texts.length) };
      }
    }
    return { parts, error: null };
  });
}

/** Without parts of white space alone, unless there is nothing else: then the platform decides. */
function partsOf(text: string, limit: Connector['capabilities']['text']): string[] {
  const parts = splitText(text, limit);
  const visible = parts.filter((part) => part.trim() !== '');
  return visible.length > 0 ? visible : [parts[0] ?? ''];
}

/**
 * One platform call; one that gives no answer in time is given up, whether or not it listens to its signal.
 *
 * @throws what the connector throws, and the signal's reason: then nobody knows whether the part is there.
 */
export function sendPart(
  clock: Clock,
  connector: Connector,
  part: OutboundPart,
  parent: AbortSignal,
): ReturnType<Connector['send']> {
  return withDeadline(
    clock,
    CALL_DEADLINE_MS,
    (signal) => untilAborted(connector.send(part, signal), signal),
    parent,
  );
}

const CODES = {
  auth: 'PLATFORM_AUTH',
  too_large: 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM',
  failed: 'PLATFORM_SEND_FAILED',
} as const satisfies Record<Exclude<SendErrorKind, 'unknown'>, InboxCode>;

function describe(error: unknown, sent: number, total: number): DeliveryResult['error'] {
  const kind = error instanceof SendError ? error.kind : 'unknown';
  if (kind === 'unknown') {
    return {
      code: 'PLATFORM_SEND_FAILED',
      message: 'The platform did not confirm the message; it may have been sent, and is not sent again.',
      delivery: 'unknown',
      cause: error,
    };
  }
  const reason = error instanceof Error ? error.message : 'no reason given';
  const prefix = sent > 0 ? `Only the first ${sent} of ${total} parts were sent: ` : '';
  const code = CODES[kind];
  return { code, message: `${prefix}${reason}`, delivery: sent > 0 ? 'partial' : 'failed', cause: error };
}
