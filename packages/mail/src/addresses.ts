import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Mailbox addresses as RFC 5321 section 4.1.2 and RFC 6531 section 3.3 have them: `local-part@domain`, without
 * display names, comments or folding. Stricter than the grammar where no mail on the public net could follow:
 * no address literals, no single-label domains, no trailing dot.
 */

/** An address that passed {@link parseAddress}. */
export interface Address {
  /** Local part as it stands on the wire: unquoted wherever it can be, case as typed. */
  readonly local: string;
  /** Domain in A-labels, lower case. */
  readonly domain: string;
  /** `local@domain`: what goes into RCPT TO and into header fields. */
  readonly wire: string;
  /** What was given, without the white space around it. */
  readonly typed: string;
  /**
   * The canonical form: local part lower-cased, domain in A-labels, NFC. Two spellings of one mailbox have one key;
   * `+tags` and dots are kept.
   */
  readonly key: string;
}

export type AddressFault =
  | 'empty'
  | 'missing_at'
  | 'local_syntax'
  | 'local_too_long'
  | 'domain_syntax'
  | 'domain_single_label'
  | 'domain_literal'
  | 'too_long'
  | 'forbidden_character';

/** One clause per fault, to stand after "the address …" or by itself. */
export const ADDRESS_FAULTS: Readonly<Record<AddressFault, string>> = {
  empty: 'is empty',
  missing_at: 'has no @ between a local part and a domain',
  local_syntax: 'has a malformed local part (before the @)',
  local_too_long: 'has a local part of more than 64 octets',
  domain_syntax: 'has a malformed domain (after the @)',
  domain_single_label: 'has a domain without a dot',
  domain_literal: 'has an IP address for a domain, which is not accepted',
  too_long: 'is longer than 254 octets',
  forbidden_character: 'contains a control, invisible or unpaired character',
};

export type ParsedAddress =
  | (Address & { readonly fault?: undefined })
  | { readonly fault: AddressFault; readonly typed: string };

/** RFC 5321 section 4.5.3.1.1 and 4.5.3.1.3 (256 octets of path, less its two angle brackets). */
const MAX_LOCAL_OCTETS = 64;
const MAX_ADDRESS_OCTETS = 254;
const MAX_DOMAIN_OCTETS = 253;

/** Bounds the work on hostile input before any expression sees it; no valid address is as long. */
const MAX_TYPED_UNITS = 1_000;

const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|\p{Noncharacter_Code_Point}/u;
const NON_ASCII_SPACE = /(?! )\p{Zs}/u;
const NON_ASCII = /[\u0080-\uffff]/;
/** RFC 5322 atext, widened by RFC 6531 to all that is not ASCII. */
const DOT_STRING =
  /^(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]|[\u0080-\u{10ffff}])+(?:\.(?:[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]|[\u0080-\u{10ffff}])+)*$/u;
const A_LABEL = /(?:^|\.)xn--/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What an ordinary address looks like; these need no IDNA and no look at code points. */
const PLAIN = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.]+@[A-Za-z0-9.-]+$/;

/**
 * What nearly every address looks like: a dot-string, and labels in ASCII of which the last one does not begin with a
 * digit. Only A-labels and lengths are left to be looked at.
 */
const ORDINARY =
  /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Parses one address. White space around it is dropped; nothing else is repaired.
 *
 * @returns the address, or `{ fault, typed }`; {@link ADDRESS_FAULTS} has words for each fault.
 */
export function parseAddress(text: string): ParsedAddress {
  const typed = text.trim();
  return parseOrdinary(typed) ?? parseAny(typed);
}

/** The address, if it is an {@link ORDINARY} one; imports read them by the ten thousand. */
function parseOrdinary(typed: string): Address | undefined {
  if (typed.length > MAX_ADDRESS_OCTETS || !ORDINARY.test(typed)) return undefined;
  const at = typed.indexOf('@');
  const domain = typed.slice(at + 1).toLowerCase();
  if (at > MAX_LOCAL_OCTETS || A_LABEL.test(domain)) return undefined;
  const local = typed.slice(0, at);
  return { local, domain, wire: `${local}@${domain}`, typed, key: `${local.toLowerCase()}@${domain}` };
}

function parseAny(typed: string): ParsedAddress {
  if (typed === '') return { fault: 'empty', typed };
  if (typed.length > MAX_TYPED_UNITS) return { fault: 'too_long', typed };
  const plain = PLAIN.test(typed);
  if (!plain && (FORBIDDEN.test(typed) || NON_ASCII_SPACE.test(typed))) {
    return { fault: 'forbidden_character', typed };
  }
  // A quoted local part may hold an @; a domain never does.
  const at = typed.lastIndexOf('@');
  if (at <= 0 || at === typed.length - 1) return { fault: 'missing_at', typed };
  const local = parseLocal(typed.slice(0, at));
  if (local === undefined) return { fault: 'local_syntax', typed };
  const domain = parseDomain(typed.slice(at + 1));
  if (typeof domain !== 'string') return { fault: domain.fault, typed };
  const wireLocal = writeLocal(local);
  if (Buffer.byteLength(wireLocal) > MAX_LOCAL_OCTETS) return { fault: 'local_too_long', typed };
  const wire = `${wireLocal}@${domain}`;
  if (Buffer.byteLength(wire) > MAX_ADDRESS_OCTETS) return { fault: 'too_long', typed };
  return { local: wireLocal, domain, wire, typed, key: `${writeLocal(foldCase(local))}@${domain}` };
}

/** Whether a local part (or a whole address on the wire) can only travel by SMTPUTF8 (RFC 6531). */
export function needsSmtpUtf8(local: string): boolean {
  return NON_ASCII.test(local);
}

/**
 * A domain in lower-case A-labels, or why it is none. Accepts U-labels and A-labels in any case.
 */
export function parseDomain(text: string): string | { readonly fault: AddressFault } {
  if (text.startsWith('[')) return { fault: 'domain_literal' };
  const ascii = asciiDomain(text);
  if (ascii === undefined || ascii.length > MAX_DOMAIN_OCTETS) return { fault: 'domain_syntax' };
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label))) return { fault: 'domain_syntax' };
  if (labels.length === 1) return { fault: 'domain_single_label' };
  // No top-level domain is all digits (RFC 3696 section 2), so this is an IPv4 address or means to be one.
  if (/^[0-9]+$/.test(labels.at(-1) ?? '')) return { fault: 'domain_literal' };
  return ascii;
}

function asciiDomain(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (!NON_ASCII.test(text) && !A_LABEL.test(lower)) return lower;
  // The URL parser behind domainToASCII takes more than domains; those characters never belong to one.
  if (/[^a-z0-9.\-\u0080-\u{10ffff}]/u.test(lower)) return undefined;
  const ascii = domainToASCII(lower);
  // A label of broken Punycode is passed through as it is; it shows by staying what it was on the way back.
  return ascii === '' || A_LABEL.test(domainToUnicode(ascii)) ? undefined : ascii;
}

/** The content of a local part: a dot-string as it is, a quoted string without its quoting. */
function parseLocal(text: string): string | undefined {
  if (!text.startsWith('"')) return DOT_STRING.test(text) ? text : undefined;
  if (text.length < 2 || !text.endsWith('"')) return undefined;
  let content = '';
  for (let at = 1; at < text.length - 1; at += 1) {
    let character = text.charAt(at);
    if (character === '"') return undefined;
    if (character === '\\') {
      at += 1;
      // The closing quote must not be the escaped one; only printable ASCII can be escaped.
      if (at === text.length - 1 || NON_ASCII.test(text.charAt(at))) return undefined;
      character = text.charAt(at);
    }
    content += character;
  }
  return content;
}

/** A content in its shortest correct form. */
function writeLocal(content: string): string {
  return DOT_STRING.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Lower case in NFC. NFC comes first too, as it can turn one letter into another that has a lower case
 * (the Kelvin sign), and again last, as lower-casing can take a composed letter apart.
 */
function foldCase(content: string): string {
  if (!NON_ASCII.test(content)) return content.toLowerCase();
  return content.normalize('NFC').toLowerCase().normalize('NFC');
}
