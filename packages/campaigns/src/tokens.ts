import { timingSafeEqual } from 'node:crypto';
import { idPattern } from '@postern/kit';
import { installationHasher, keyedHasher } from './keyed-hash.ts';

/**
 * Signed tokens: what addresses on the public pages and return paths carry. Each has a purpose, and one made for one
 * purpose opens nothing else: whoever sees a tracked link in a forwarded mail can't unsubscribe its owner with it.
 *
 * A token is version, purpose, ids and a MAC, with fixed widths, so there is one way to read it. It stays good for as
 * long as the installation key does, also after campaign and list are gone.
 */

const VERSION = '1';
const ULID_LENGTH = 26;
/** 128 bits in base64url. */
const MAC_LENGTH = 22;
/** 100 bits in base 32: a local part has 64 octets, and its case may be folded on the way. */
const BASE_32_MAC_LENGTH = 20;

const PURPOSES = {
  unsubscribe: 'u',
  preferences: 'p',
  view: 'v',
  open: 'o',
  click: 'c',
} as const;

export type PersonPurpose = keyof typeof PURPOSES;

/** One mail of a campaign, as its addresses name it; the subscriber is null where tracking is anonymous. */
export interface MailToken {
  readonly campaignId: string;
  readonly subscriberId: string | null;
}

const campaignPattern = idPattern('cmp');
const subscriberPattern = idPattern('sub');

/** Makes and reads the tokens of one installation. */
export interface Tokens {
  /** For one mail of a campaign. Without a subscriber only `open` and `click` mean anything. */
  mail(purpose: PersonPurpose, mail: MailToken): string;
  readMail(purpose: PersonPurpose, token: string): MailToken | null;
  /** A link that differs from person to person carries its address along. */
  link(mail: MailToken, url: string): string;
  readLink(token: string): (MailToken & { readonly url: string }) | null;
  /** For the confirmation mail of a double opt-in list. */
  confirm(subscriberId: string, atMicroseconds: number): string;
  readConfirm(token: string): { readonly subscriberId: string; readonly atSeconds: number } | null;
  /**
   * Local part of a return path (VERP) for a delivery (`dlv_…`) or a transactional mail (`eml_…`): lower case,
   * at most 64 octets.
   */
  bounce(id: string): string;
  /** The id in a local part, whatever its case. */
  readBounce(localPart: string): string | null;
  /**
   * Left side of the Message-ID of a delivery or a transactional mail. Signed, since ids that were made together
   * follow each other: whoever got one mail could name those of others in a report.
   */
  messageId(id: string): string;
  /** The id in the left side of a Message-ID, whatever its case. */
  readMessageId(leftSide: string): string | null;
}

/** The tokens under an installation's key (32 bytes). */
export function tokensOf(installationKey: Uint8Array): Tokens {
  const mac = keyedHasher(installationHasher(installationKey).bytes('postern/campaigns/tokens/1'));

  function seal(body: string): string {
    return `${body}${mac.base64url(body).slice(0, MAC_LENGTH)}`;
  }

  function open(purpose: string, token: string): string | null {
    if (token.length <= MAC_LENGTH + 2 || token.length > LONGEST_TOKEN) return null;
    const body = token.slice(0, -MAC_LENGTH);
    if (!body.startsWith(VERSION + purpose) || !isSame(seal(body), token)) return null;
    return body.slice(2);
  }

  return {
    mail: (purpose, mail) => seal(VERSION + PURPOSES[purpose] + idsOf(mail)),
    readMail: (purpose, token) => {
      const body = open(PURPOSES[purpose], token);
      return body === null ? null : readIds(body);
    },
    link: (mail, url) =>
      seal(`${VERSION}l${idsOf(mail).padEnd(2 * ULID_LENGTH, '-')}${Buffer.from(url).toString('base64url')}`),
    readLink: (token) => {
      const body = open('l', token);
      const mail = body === null ? null : readIds(body.slice(0, 2 * ULID_LENGTH).replace(/-+$/, ''));
      if (body === null || mail === null) return null;
      return { ...mail, url: Buffer.from(body.slice(2 * ULID_LENGTH), 'base64url').toString() };
    },
    confirm: (subscriberId, atMicroseconds) => {
      const seconds = Math.floor(atMicroseconds / 1_000_000);
      return seal(`${VERSION}k${bare(subscriberId)}${seconds.toString(36)}`);
    },
    readConfirm: (token) => {
      const body = open('k', token);
      if (body === null) return null;
      const subscriberId = `sub_${body.slice(0, ULID_LENGTH)}`;
      const atSeconds = Number.parseInt(body.slice(ULID_LENGTH), 36);
      return subscriberPattern.test(subscriberId) ? { subscriberId, atSeconds } : null;
    },
    bounce: (id) => {
      const text = `${id.slice(0, 3)}${bare(id)}`.toLowerCase();
      return `b${VERSION}-${text}-${base32(mac.bytes(`bounce:${text}`))}`;
    },
    readBounce: (localPart) => {
      const match = BOUNCE.exec(localPart.toLowerCase());
      const [, kind = '', ulid = '', given = ''] = match ?? [];
      if (match === null || !isSame(base32(mac.bytes(`bounce:${kind}${ulid}`)), given)) return null;
      return `${kind}_${ulid.toUpperCase()}`;
    },
    messageId: (id) => {
      const text = `${id.slice(0, 3)}-${bare(id)}`.toLowerCase();
      return `${text}-${base32(mac.bytes(`message:${text}`))}`;
    },
    readMessageId: (leftSide) => {
      const match = MESSAGE_ID.exec(leftSide.toLowerCase());
      const [, kind = '', ulid = '', given = ''] = match ?? [];
      if (match === null || !isSame(base32(mac.bytes(`message:${kind}-${ulid}`)), given)) return null;
      return `${kind}_${ulid.toUpperCase()}`;
    },
  };
}

const MESSAGE_ID = /^(dlv|eml)-([0-9a-z]{26})-([0-9a-z]{20})$/;
const BOUNCE = /^b1-(dlv|eml)([0-9a-z]{26})-([0-9a-z]{20})$/;
/** A link may be long; nothing a browser would still send is longer. */
const LONGEST_TOKEN = 16_384;

function bare(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}

function idsOf({ campaignId, subscriberId }: MailToken): string {
  return bare(campaignId) + (subscriberId === null ? '' : bare(subscriberId));
}

function readIds(body: string): MailToken | null {
  if (body.length !== ULID_LENGTH && body.length !== 2 * ULID_LENGTH) return null;
  const campaignId = `cmp_${body.slice(0, ULID_LENGTH)}`;
  const subscriberId = body.length === ULID_LENGTH ? null : `sub_${body.slice(ULID_LENGTH)}`;
  if (!campaignPattern.test(campaignId)) return null;
  if (subscriberId !== null && !subscriberPattern.test(subscriberId)) return null;
  return { campaignId, subscriberId };
}

const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5 && text.length < BASE_32_MAC_LENGTH) {
      bits -= 5;
      text += BASE_32[(value >> bits) & 31];
    }
  }
  return text;
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
