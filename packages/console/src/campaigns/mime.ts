/** Reads a mail (RFC 5322, 2045–2047) well enough to show it. Anything malformed is shown as it stands. */

export interface MailPart {
  /** Lower case, without parameters. */
  readonly type: string;
  readonly charset: string | null;
  readonly encoding: string | null;
  readonly name: string | null;
  /** Without the angle brackets. */
  readonly contentId: string | null;
  readonly isAttachment: boolean;
  /** Decoded bytes; those of a multipart are its source. */
  readonly body: Uint8Array;
  readonly parts: readonly MailPart[];
}

export interface ReadMail {
  readonly subject: string;
  /** In their order, unfolded and decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly html: string | null;
  readonly text: string | null;
  readonly root: MailPart;
  readonly source: string;
}

const DEEPEST = 10;
const LONGEST_PICTURE = 2_000_000;

export function mailOf(bytes: Uint8Array): ReadMail {
  const source = binaryOf(bytes);
  const { headers, root } = partOf(source, 0);
  const shown = headers.map(([name, value]) => [name, decodeWords(value)] as const);
  const bodies = leavesOf(root).filter((part) => !part.isAttachment);
  const textOf = (type: string) => {
    const part = bodies.find((one) => one.type === type);
    return part === undefined ? null : decodeText(part.body, part.charset);
  };
  return {
    subject: shown.find(([name]) => name.toLowerCase() === 'subject')?.[1] ?? '',
    headers: shown,
    html: textOf('text/html'),
    text: textOf('text/plain'),
    root,
    source: decodeText(bytes, 'utf-8'),
  };
}

/** Pictures inside a mail by content id, as addresses that a page may show. */
export function pictureAddresses({ root }: ReadMail): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { contentId, type, body } of leavesOf(root)) {
    if (contentId === null || !/^image\/(png|jpeg|gif|webp)$/.test(type) || body.length > LONGEST_PICTURE)
      continue;
    found.set(contentId, `data:${type};base64,${btoa(binaryOf(body))}`);
  }
  return found;
}

function leavesOf(part: MailPart): readonly MailPart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}

type Headers = readonly (readonly [name: string, value: string])[];

/** @param source one character a byte. */
function partOf(source: string, depth: number): { headers: Headers; root: MailPart } {
  const gap = /\r?\n\r?\n/.exec(source);
  const startsWithGap = /^\r?\n/.exec(source);
  const head = startsWithGap ? '' : gap ? source.slice(0, gap.index) : source;
  const body = startsWithGap
    ? source.slice(startsWithGap[0].length)
    : gap
      ? source.slice(gap.index + gap[0].length)
      : '';
  const headers = headersOf(head);
  const field = (name: string) => headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null;
  const type = valueWithParameters(field('content-type') ?? 'text/plain; charset=us-ascii');
  const disposition = valueWithParameters(field('content-disposition') ?? '');
  const encoding = field('content-transfer-encoding')?.trim().toLowerCase() ?? null;
  const boundary = type.parameters.get('boundary');
  const isMultipart = type.value.startsWith('multipart/') && boundary !== undefined && depth < DEEPEST;
  return {
    headers,
    root: {
      type: type.value,
      charset: type.parameters.get('charset') ?? null,
      encoding,
      name: nameOf(disposition.parameters.get('filename') ?? type.parameters.get('name')),
      contentId: field('content-id')?.trim().replace(/^<|>$/g, '') ?? null,
      isAttachment: disposition.value === 'attachment',
      body: isMultipart ? bytesOf(body) : decodeBody(body, encoding),
      parts: isMultipart ? splitParts(body, boundary).map((inner) => partOf(inner, depth + 1).root) : [],
    },
  };
}

const nameOf = (name: string | undefined) => (name === undefined ? null : decodeWords(name));

function headersOf(head: string): Headers {
  const lines = head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) return [];
    return [
      [line.slice(0, colon).trim(), decodeText(bytesOf(line.slice(colon + 1).trim()), 'utf-8')] as const,
    ];
  });
}

function valueWithParameters(field: string): { value: string; parameters: ReadonlyMap<string, string> } {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, bare] of field.matchAll(
    /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g,
  )) {
    const value = quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/g, '$1');
    addParameter(parameters, name.toLowerCase(), value);
  }
  return { value: (field.split(';', 1)[0] ?? '').trim().toLowerCase(), parameters };
}

/** Also the extended and continued ones of RFC 2231: `name*=utf-8''…`, `name*0=…`. */
function addParameter(parameters: Map<string, string>, name: string, value: string): void {
  const [base = name, ...marks] = name.split('*');
  if (marks.length === 0) {
    parameters.set(name, value);
    return;
  }
  const encoded = /^[\w-]*'[\w-]*'(.*)$/.exec(value)?.[1] ?? value;
  parameters.set(base, (parameters.get(base) ?? '') + percentDecoded(encoded));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitParts(body: string, boundary: string): string[] {
  const parts: string[] = [];
  let current: string[] | null = null;
  for (const line of body.split('\n')) {
    const bare = line.trimEnd();
    if (bare === `--${boundary}` || bare === `--${boundary}--`) {
      if (current !== null) parts.push(current.join('\n').replace(/\r$/, ''));
      if (bare.endsWith('--') && bare.length > boundary.length + 2) return parts;
      current = [];
    } else current?.push(line);
  }
  if (current !== null) parts.push(current.join('\n'));
  return parts;
}

function decodeBody(body: string, encoding: string | null): Uint8Array {
  if (encoding === 'base64') return bytesOf(base64(body));
  if (encoding === 'quoted-printable') return bytesOf(quotedPrintable(body));
  return bytesOf(body);
}

function base64(text: string): string {
  try {
    return atob(text.replace(/[^A-Za-z0-9+/]/g, ''));
  } catch {
    return text;
  }
}

function quotedPrintable(text: string): string {
  return text
    .replace(/[ \t]+(?=\r?\n|$)/g, '')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Encoded words of RFC 2047; white space between two of them is not there. */
export function decodeWords(text: string): string {
  const word = /=\?([^?\s*]+)(?:\*[^?]*)?\?([bq])\?([^?\s]*)\?=/gi;
  return joinWords(text).replace(word, (whole, charset: string, kind: string, content: string) => {
    const bytes =
      kind.toLowerCase() === 'b' ? base64(content) : quotedPrintable(content.replaceAll('_', ' '));
    return decodeText(bytesOf(bytes), charset) || whole;
  });
}

/** A character may be cut between two words of one kind, so their contents are joined before they are decoded. */
function joinWords(text: string): string {
  return text.replace(/(\?=)\s+(?==\?)/g, '$1').replace(/(=\?[^?\s]+\?q\?)([^?\s]*)\?=(?:\1)/gi, '$1$2');
}

function decodeText(bytes: Uint8Array, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder('utf-8').decode(bytes);
  }
}

/** One character a byte: what MIME's rules are written for. */
function binaryOf(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 8_192) {
    text += String.fromCharCode(...bytes.subarray(from, from + 8_192));
  }
  return text;
}

function bytesOf(binary: string): Uint8Array {
  return Uint8Array.from(binary, (symbol) => symbol.charCodeAt(0));
}
