import { isAscii } from 'node:buffer';

/** The octets between DATA's 354 and the reply (RFC 5321 sections 2.3.8 and 4.5.2). */

const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

export interface PreparedData {
  /** Dot-stuffed, ending with CRLF; the final dot is not in it. */
  readonly bytes: Uint8Array;
  /** Octets of the message itself, for SIZE. */
  readonly size: number;
  readonly ascii: boolean;
}

/**
 * Makes a message ready for DATA.
 *
 * @returns undefined when it has a CR or an LF by itself: servers differ in what they make of those, and with some a
 *   message could hold another one (SMTP smuggling).
 */
export function prepareData(data: Uint8Array | readonly Uint8Array[]): PreparedData | undefined {
  const message = data instanceof Uint8Array ? data : Buffer.concat(data);
  const dots = findDots(message);
  if (dots === undefined) return undefined;
  const { length } = message;
  const open = length > 0 && message[length - 1] !== LF;
  const bytes = dots.length === 0 && !open ? message : stuff(message, dots, open);
  return { bytes, size: length, ascii: isAscii(message) };
}

/** A CR or an LF that is not half of a CRLF. */
const LONE = /(?<!\r)\n|\r(?!\n)/;

/**
 * Offsets of the dots that begin a line; undefined when line breaks are not all CRLF. Looks at a text of as many
 * units, which is searched several times faster than bytes are looked at one by one.
 */
function findDots(message: Uint8Array): number[] | undefined {
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1');
  if (LONE.test(text)) return undefined;
  const dots = text.startsWith('.') ? [0] : [];
  for (let at = text.indexOf('\r\n.'); at !== -1; at = text.indexOf('\r\n.', at + 2)) dots.push(at + 2);
  return dots;
}

function stuff(message: Uint8Array, dots: readonly number[], open: boolean): Uint8Array {
  const stuffed = Buffer.allocUnsafe(message.length + dots.length + (open ? 2 : 0));
  let from = 0;
  let length = 0;
  for (const dot of dots) {
    stuffed.set(message.subarray(from, dot), length);
    length += dot - from;
    stuffed[length++] = DOT;
    from = dot;
  }
  stuffed.set(message.subarray(from), length);
  if (open) stuffed.set([CR, LF], stuffed.length - 2);
  return stuffed;
}

/** The message that a server gets: the opposite of stuffing. @param bytes with CRLF line breaks. */
export function unstuff(bytes: Uint8Array): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const lineStart = at === 0 || (bytes[at - 1] === LF && bytes[at - 2] === CR);
    if (lineStart && bytes[at] === DOT) continue;
    plain[length++] = bytes[at] as number;
  }
  return plain.subarray(0, length);
}
