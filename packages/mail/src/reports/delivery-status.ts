import { decodeEncodedWords } from '../headers/decode.ts';
import { Fields } from './entity.ts';
import type { ReportAction, ReportRecipient } from './kinds.ts';
import { reportRecipient } from './recipient.ts';

/** The machine's part of a delivery report (RFC 3464 section 2): one group of fields for each recipient. */

const ACTIONS: readonly ReportAction[] = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'];
const MAX_RECIPIENTS = 100;
const MAX_STATUS = 100_000;
const MAX_VALUE = 2_000;

/** @param body of the message/delivery-status part, LF line breaks; empty when it names no recipient. */
export function readDeliveryStatus(body: string): ReportRecipient[] {
  const groups = body.slice(0, MAX_STATUS).split(/\n[ \t]*\n/);
  return groups.flatMap((group) => readGroup(readLenientFields(group)) ?? []).slice(0, MAX_RECIPIENTS);
}

/** A line that is no field belongs to the one before it: some forget to indent what a server said in several lines. */
function readLenientFields(group: string): Fields {
  const entries: [string, string][] = [];
  for (const line of group.split('\n')) {
    const [, name, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*:(.*)$/.exec(line) ?? [];
    const last = entries.at(-1);
    if (name !== undefined) entries.push([name.toLowerCase(), value.trim().slice(0, MAX_VALUE)]);
    else if (last !== undefined && line.trim() !== '')
      last[1] = `${last[1]} ${line.trim()}`.slice(0, MAX_VALUE);
  }
  return new Fields(entries);
}

function readGroup(fields: Fields): ReportRecipient | undefined {
  const final = fields.get('final-recipient');
  const original = fields.get('original-recipient');
  const said = fields.get('action');
  const status = fields.get('status');
  // The first group is about the report itself, and only those about a recipient have any of these.
  if (final === null && original === null && said === null) return undefined;
  const action = ACTIONS.find((name) => said?.toLowerCase().startsWith(name)) ?? null;
  const diagnostic = fields.get('diagnostic-code');
  return reportRecipient({
    address: typedAddress(final),
    original: typedAddress(original),
    action,
    status: /\b([245]\.[0-9]{1,3}\.[0-9]{1,3})\b/.exec(status ?? '')?.[1] ?? null,
    diagnostic: diagnostic === null ? null : withoutType(decodeEncodedWords(diagnostic)),
  });
}

/** `rfc822; ada@example.org`, or `utf-8; …` in the encoding of RFC 6533. */
function typedAddress(value: string | null): string | null {
  if (value === null) return null;
  const semicolon = value.indexOf(';');
  const type = value.slice(0, Math.max(0, semicolon)).trim().toLowerCase();
  const address = withoutBrackets(value.slice(semicolon + 1));
  if (address === '') return null;
  if (type !== 'utf-8') return address;
  return address.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (whole, hex: string) => {
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** `<ada@example.org>` and `mailto:ada@example.org` as the address alone. */
function withoutBrackets(text: string): string {
  const trimmed = text.trim();
  const inner = trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : trimmed;
  return inner.replace(/^mailto:/i, '');
}

function withoutType(diagnostic: string): string {
  return diagnostic.replace(/^\s*[\w-]+\s*;\s*/, '');
}
