import { isAutomaticReply } from './auto-reply.ts';
import { readDeliveryStatus } from './delivery-status.ts';
import { bodyText, type Entity, type Fields, parseEntity, walk } from './entity.ts';
import { readFeedback } from './feedback.ts';
import type { ReportAction, ReportKind, ReportRecipient } from './kinds.ts';
import { readPlainBounce } from './plain-bounce.ts';

/**
 * What comes back to a return path or a feedback address: delivery reports (RFC 3464) and those in words of their
 * own, complaints (RFC 5965), automatic replies (RFC 3834), and letters from people. Any bytes are taken; nothing is
 * thrown.
 */

export interface Report {
  readonly kind: ReportKind;
  readonly recipients: readonly ReportRecipient[];
  /** Of the recipient that fared worst; null for complaints and replies. */
  readonly action: ReportAction | null;
  readonly status: string | null;
  /** What `readToken` made of the first address that it knew. */
  readonly token: string | null;
  /** What is left of the message that it is about. */
  readonly original: {
    readonly messageId: string | null;
    readonly feedbackId: string | null;
    readonly subject: string | null;
    readonly to: string | null;
  };
  /** `abuse`, `fraud`, `not-spam` and so on; null when it is no complaint. */
  readonly feedbackType: string | null;
}

export interface ReportOptions {
  /** The recipients of the report's own envelope, where they are known. */
  readonly envelopeTo?: readonly string[];
  /** Reads our token out of an address; null when there is none. */
  readonly readToken?: (address: string) => string | null;
  /** How much is looked at; the rest is most often the message that came back. A million octets by default. */
  readonly maxOctets?: number;
}

const DEFAULT_MAX_OCTETS = 1_000_000;

/** Reads one message that came back. Never throws, unless `readToken` does. */
export function parseReport(raw: Uint8Array, options: ReportOptions = {}): Report {
  const message = parseEntity(raw, options.maxOctets ?? DEFAULT_MAX_OCTETS);
  const found = readContent(message);
  const original = originalFields(message) ?? found.original;
  const token = findToken(message, original, found.addresses, options);
  const worst = found.recipients.find(({ action }) => action === 'failed') ?? found.recipients[0];
  return {
    kind: found.kind,
    recipients: found.recipients,
    action: worst?.action ?? null,
    status: worst?.status ?? null,
    token,
    original: {
      messageId: messageId(original?.get('message-id') ?? found.messageId),
      feedbackId: original?.get('feedback-id') ?? null,
      subject: original?.text('subject') ?? null,
      to: original?.text('to') ?? null,
    },
    feedbackType: found.feedbackType,
  };
}

/** What one way of reading makes of a message. */
interface Content {
  readonly kind: ReportKind;
  readonly recipients: readonly ReportRecipient[];
  readonly feedbackType: string | null;
  /** Addresses that may hold our token. */
  readonly addresses: readonly string[];
  readonly original: Fields | undefined;
  readonly messageId: string | null;
}

const NOTHING = { recipients: [], feedbackType: null, addresses: [], original: undefined, messageId: null };

function readContent(message: Entity): Content {
  const entities = [...walk(message)];
  const feedback = readFeedback(message, entities);
  if (feedback !== undefined) return { ...NOTHING, ...feedback };
  const status = entities.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  const recipients = status === undefined ? [] : readDeliveryStatus(status.body);
  if (recipients.length > 0) return { ...NOTHING, kind: kindOf(recipients), recipients };
  if (entities.some(({ type }) => type === 'message/disposition-notification'))
    return { ...NOTHING, kind: 'other' };
  const plain = readPlainBounce(message, readableText(message));
  if (plain !== undefined) {
    return { ...NOTHING, ...plain, kind: kindOf(plain.recipients) };
  }
  return { ...NOTHING, kind: isAutomaticReply(message.fields) ? 'auto_reply' : 'other' };
}

function kindOf(recipients: readonly ReportRecipient[]): ReportKind {
  if (recipients.some(({ action }) => action === 'failed')) return 'bounce';
  return recipients.some(({ action }) => action === 'delayed') ? 'delayed' : 'delivered';
}

/** The text that a person would read, of the report itself and not of what it returns. */
function readableText(message: Entity): string {
  if (message.type === 'text/plain' || message.parts.length === 0) return bodyText(message);
  const texts: string[] = [];
  const collect = (entity: Entity): void => {
    if (entity.type === 'text/plain') texts.push(bodyText(entity));
    else if (entity.type.startsWith('multipart/')) entity.parts.forEach(collect);
  };
  collect(message);
  return texts.join('\n');
}

/** The header of the returned message: that of the first message within the message. */
function originalFields(message: Entity): Fields | undefined {
  for (const entity of walk(message)) {
    const [inner] = entity.parts;
    if (!entity.type.startsWith('multipart/') && inner !== undefined) return inner.fields;
  }
  return undefined;
}

const ADDRESSEE_FIELDS = [
  'to',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'cc',
  'received',
];
const BETWEEN_ADDRESSES = /[\s<>,;:"()[\]]+/;

function findToken(
  message: Entity,
  original: Fields | undefined,
  addresses: readonly string[],
  { envelopeTo = [], readToken }: ReportOptions,
): string | null {
  if (readToken === undefined) return null;
  const places = [
    ...envelopeTo,
    ...ADDRESSEE_FIELDS.flatMap((name) => message.fields.all(name)),
    ...addresses,
    ...(original?.all('return-path') ?? []),
    ...(original?.all('x-return-path') ?? []),
  ];
  for (const place of places) {
    for (const address of place.split(BETWEEN_ADDRESSES)) {
      const token = address.includes('@') ? readToken(address) : null;
      if (token !== null) return token;
    }
  }
  return null;
}

function messageId(value: string | null): string | null {
  return /<([^<>\s]+)>/.exec(value ?? '')?.[1] ?? null;
}
