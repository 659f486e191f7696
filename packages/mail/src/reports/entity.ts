import { decodeCharset, decodeEncodedWords } from '../headers/decode.ts';
import { decodeBase64 } from '../mime/base64.ts';
import { decodeQuotedPrintable } from '../mime/qp.ts';

/**
 * Reading of MIME entities as they really come: any line breaks, broken structure, any bytes. Never throws; what
 * cannot be understood is text.
 */

export interface Entity {
  readonly fields: Fields;
  /** `multipart/report`, lower case; `text/plain` when none is given. */
  readonly type: string;
  /** Parameters of Content-Type, by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The body with its transfer encoding taken off, one Latin-1 character an octet, LF line breaks. */
  readonly body: string;
  /** Of a multipart, and of a message within a message. */
  readonly parts: readonly Entity[];
}

/** Header fields in order; names in lower case, values unfolded and otherwise as they are. */
export class Fields {
  readonly entries: readonly (readonly [name: string, value: string])[];

  constructor(entries: readonly (readonly [string, string])[]) {
    this.entries = entries;
  }

  /** The first value of a field; null when there is none. */
  get(name: string): string | null {
    return this.entries.find(([key]) => key === name)?.[1] ?? null;
  }

  all(name: string): string[] {
    return this.entries.flatMap(([key, value]) => (key === name ? [value] : []));
  }

  /** The first value with encoded words decoded. */
  text(name: string): string | null {
    const value = this.get(name);
    return value === null ? null : decodeEncodedWords(fromUtf8(value)).trim();
  }
}

const MAX_DEPTH = 8;
const MAX_PARTS = 64;
const MAX_FIELDS = 1_000;
/** The rest of a longer value is dropped. It bounds what the readers of values have to do. */
const MAX_VALUE = 4_096;

/** Parses a message. @param octets of the message that are looked at, from its start. */
export function parseEntity(raw: Uint8Array, octets: number): Entity {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, octets)).toString('latin1');
  return parse(text.replace(/\r\n|\r/g, '\n'), 0, { left: MAX_PARTS });
}

/** Every entity of a tree, in order. */
export function* walk(entity: Entity): Generator<Entity> {
  yield entity;
  for (const part of entity.parts) yield* walk(part);
}

/** The body of a text part as text. */
export function bodyText(entity: Entity): string {
  return decodeCharset(Buffer.from(entity.body, 'latin1'), entity.parameters.get('charset') ?? 'utf-8');
}

/** Splits a text of header fields at its first empty line. */
export function splitFields(text: string): { readonly fields: Fields; readonly rest: string } {
  const entries: [string, string][] = [];
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, end);
    if (line.trim() === '') return { fields: new Fields(entries), rest: text.slice(end + 1) };
    const last = entries.at(-1);
    const colon = line.indexOf(':');
    if (/^[ \t]/.test(line)) {
      if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`.slice(0, MAX_VALUE);
    } else if (colon > 0 && /^[!-9;-~]+[ \t]*$/.test(line.slice(0, colon))) {
      if (entries.length < MAX_FIELDS) {
        entries.push([
          line.slice(0, colon).trim().toLowerCase(),
          line
            .slice(colon + 1)
            .trim()
            .slice(0, MAX_VALUE),
        ]);
      }
    } else if (!/^(?:From |>From )/.test(line)) {
      // A body that begins without an empty line before it.
      return { fields: new Fields(entries), rest: text.slice(at) };
    }
    at = end + 1;
  }
  return { fields: new Fields(entries), rest: '' };
}

function parse(text: string, depth: number, budget: { left: number }): Entity {
  const { fields, rest } = splitFields(text);
  const { value, parameters } = parseParameters(fields.get('content-type') ?? 'text/plain');
  const type = value.toLowerCase();
  const boundary = parameters.get('boundary');
  if (type.startsWith('multipart/') && boundary !== undefined && depth < MAX_DEPTH) {
    const parts = splitParts(rest, boundary, budget).map((part) => parse(part, depth + 1, budget));
    return { fields, type, parameters, body: rest, parts };
  }
  const body = decodeTransfer(rest, fields.get('content-transfer-encoding') ?? '');
  const nested = /^(?:message\/(?:rfc822|global)|(?:text|message)\/(?:rfc822|global)-headers)$/.test(type);
  const inner = nested && depth < MAX_DEPTH && budget.left > 0;
  if (inner) budget.left -= 1;
  return {
    fields,
    type,
    parameters,
    body,
    parts: inner ? [parse(body.replace(/^\n+/, ''), depth + 1, budget)] : [],
  };
}

/** The parts between boundary lines; a last one that is never closed counts too. */
function splitParts(body: string, boundary: string, budget: { left: number }): string[] {
  const parts: string[] = [];
  const mark = `--${boundary}`;
  let start = -1;
  for (let at = body.startsWith(mark) ? 0 : body.indexOf(`\n${mark}`); at !== -1; ) {
    const line = at === 0 && body.startsWith(mark) ? 0 : at + 1;
    if (start !== -1) parts.push(body.slice(start, at === line ? line : at));
    if (budget.left <= 0) return parts;
    budget.left -= 1;
    const after = body.slice(line + mark.length, line + mark.length + 2);
    const newline = body.indexOf('\n', line + mark.length);
    if (after === '--' || newline === -1) return parts;
    start = newline + 1;
    // The line break that ends this boundary's line may be the one before the next.
    at = body.indexOf(`\n${mark}`, newline);
  }
  if (start !== -1) parts.push(body.slice(start));
  return parts;
}

function decodeTransfer(body: string, encoding: string): string {
  const octets = () => Buffer.from(body, 'latin1');
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return decodeBase64(octets())
        .toString('latin1')
        .replace(/\r\n|\r/g, '\n');
    case 'quoted-printable':
      return decodeQuotedPrintable(octets())
        .toString('latin1')
        .replace(/\r\n|\r/g, '\n');
    default:
      return body;
  }
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g;

function parseParameters(field: string): { value: string; parameters: ReadonlyMap<string, string> } {
  const semicolon = field.indexOf(';');
  const value = (semicolon === -1 ? field : field.slice(0, semicolon)).trim();
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of field.matchAll(PARAMETER)) {
    const text = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), text);
  }
  return { value, parameters };
}

/** Raw UTF-8 in a field, as RFC 6532 allows, was read as Latin-1; it is taken back where it is UTF-8. */
function fromUtf8(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString();
  return text.includes('\ufffd') ? value : text;
}
