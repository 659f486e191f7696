import { ByteWriter } from './byte-writer.ts';

/**
 * Quoted-printable (RFC 2045 section 6.7) as a stream: a text may come in pieces, and what is written depends on
 * the pieces' joined text alone, never on where they were cut. All that one piece must know of those before it is
 * a {@link QpState}, a small integer, so the encoding of a fixed piece can be kept per state.
 *
 * Line breaks of any kind become CRLF. No line is longer than 76, a character's octets stay on one line, and no
 * line begins with a dot (nothing to stuff in SMTP) or an F (nothing for mailboxes to escape as `>From`).
 */

/** Column of the open line, the white space held back until it is known not to end the line, and a lone CR. */
export type QpState = number;

/** The state in which a body begins. */
export const QP_START: QpState = 0;

const COLUMN = 0x7f;
const HELD_SPACE = 0x80;
const HELD_TAB = 0x100;
const HELD = HELD_SPACE | HELD_TAB;
const AFTER_CR = 0x200;

/** 75, as a line that goes on needs one more place for the `=`. */
const LAST_COLUMN = 75;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DOT = 0x2e;
const EQUALS = 0x3d;
const DELETE = 0x7f;
const CAPITAL_F = 0x46;
/** Lead octet of a UTF-8 sequence by its length. */
const LEAD = [0, 0, 0xc0, 0xe0, 0xf0];
const HEX = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

/** The most one UTF-16 unit can take: a held space, a soft break, and three octets of `=XX` with another break. */
const MOST_PER_UNIT = 20;

/** Room is made for so many units at a time, so that a large text does not ask for twenty times its size. */
const RESERVED_UNITS = 4_096;

/**
 * Encodes one piece and appends it. Unpaired surrogates become U+FFFD.
 *
 * @returns the state for the next piece; after the last one call {@link finishQuotedPrintable}.
 */
export function encodeQuotedPrintable(text: string, state: QpState, out: ByteWriter): QpState {
  const line = new LineWriter(out, state);
  let at = 0;
  while (at < text.length) {
    out.reserve(RESERVED_UNITS * MOST_PER_UNIT);
    const end = Math.min(text.length, at + RESERVED_UNITS);
    while (at < end) {
      at = line.plainRun(text, at, end);
      if (at < end) at += line.character(text, at);
    }
  }
  return line.state();
}

/** Writes what was held back at the end of a body. */
export function finishQuotedPrintable(state: QpState, out: ByteWriter): void {
  out.reserve(MOST_PER_UNIT);
  new LineWriter(out, state).end();
}

/** The whole of a text, encoded. */
export function quotedPrintable(text: string): Buffer {
  const out = new ByteWriter(text.length * 2 + 64);
  finishQuotedPrintable(encodeQuotedPrintable(text, QP_START, out), out);
  return out.copy();
}

/** Decodes; what is not quoted-printable is kept as it is (RFC 2045 section 6.7, note 5). Never throws. */
export function decodeQuotedPrintable(encoded: Uint8Array): Buffer {
  const decoded = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  /** Where the white space begins that a line break would make void. */
  let solid = 0;
  for (let at = 0; at < encoded.length; at += 1) {
    const byte = encoded[at] as number;
    if (byte === EQUALS) {
      const skipped = softBreakLength(encoded, at + 1);
      if (skipped >= 0) {
        at += skipped;
        solid = length;
        continue;
      }
      const high = hexValue(encoded[at + 1]);
      const low = hexValue(encoded[at + 2]);
      if (high >= 0 && low >= 0) {
        decoded[length++] = high * 16 + low;
        solid = length;
        at += 2;
        continue;
      }
    }
    if (byte === LF || byte === CR) length = solid;
    decoded[length++] = byte;
    if (byte !== SPACE && byte !== TAB) solid = length;
  }
  return decoded.subarray(0, solid);
}

/** The open line: writes to the end of the bytes, which must have room. */
class LineWriter {
  readonly out: ByteWriter;
  column: number;
  held: number;
  afterCr: boolean;

  constructor(out: ByteWriter, state: QpState) {
    this.out = out;
    this.column = state & COLUMN;
    this.held = state & HELD;
    this.afterCr = (state & AFTER_CR) !== 0;
  }

  state(): QpState {
    return this.column | this.held | (this.afterCr ? AFTER_CR : 0);
  }

  /**
   * Copies characters that stand for themselves up to the first one that needs a decision, and tells where that
   * is. All of it could go through {@link character}; this is what makes the encoder fast.
   */
  plainRun(text: string, from: number, end: number): number {
    if (this.held !== 0 || this.column === 0) return from;
    const { bytes } = this.out;
    let { length } = this.out;
    let at = from;
    const limit = Math.min(end, from + LAST_COLUMN - this.column);
    while (at < limit) {
      const unit = text.charCodeAt(at);
      if (unit === SPACE) {
        // At the end of the run the next character is not known, so the space is held back elsewhere.
        const next = at + 1 < limit ? text.charCodeAt(at + 1) : LF;
        if (next <= SPACE || next >= DELETE || next === EQUALS) break;
      } else if (unit <= SPACE || unit >= DELETE || unit === EQUALS) break;
      bytes[length++] = unit;
      at += 1;
    }
    if (at > from) this.afterCr = false;
    this.column += at - from;
    this.out.length = length;
    return at;
  }

  /** Writes the character at an offset, and tells how many units it took. */
  character(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (unit === LF || unit === CR) {
      this.lineBreak(unit);
      return 1;
    }
    this.releaseHeld();
    if (unit === SPACE || unit === TAB) this.held = unit === SPACE ? HELD_SPACE : HELD_TAB;
    else if (unit > SPACE && unit < DELETE && unit !== EQUALS) this.printable(unit);
    else {
      const point = codePointAt(text, at);
      this.octets(point);
      if (point > 0xffff) return 2;
    }
    return 1;
  }

  /** White space at the end of a line must be encoded, or relays may drop it. */
  end(): void {
    if (this.held === 0) return;
    if (this.column + 3 > LAST_COLUMN) this.softBreak();
    this.escape(this.held === HELD_SPACE ? SPACE : TAB);
    this.held = 0;
  }

  private printable(unit: number): void {
    if (this.column >= LAST_COLUMN) this.softBreak();
    if (this.column === 0 && (unit === DOT || unit === CAPITAL_F)) this.escape(unit);
    else {
      this.out.bytes[this.out.length++] = unit;
      this.column += 1;
    }
  }

  private lineBreak(unit: number): void {
    if (unit === LF && this.afterCr) {
      this.afterCr = false;
      return;
    }
    this.end();
    this.out.bytes[this.out.length++] = CR;
    this.out.bytes[this.out.length++] = LF;
    this.column = 0;
    this.afterCr = unit === CR;
  }

  /** One character as the `=XX` of its UTF-8, all on one line. */
  private octets(point: number): void {
    const count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (this.column + count * 3 > LAST_COLUMN) this.softBreak();
    if (count === 1) this.escape(point);
    else {
      const last = (count - 1) * 6;
      this.escape((LEAD[count] as number) | (point >> last));
      for (let shift = last - 6; shift >= 0; shift -= 6) this.escape(0x80 | ((point >> shift) & 0x3f));
    }
  }

  private releaseHeld(): void {
    this.afterCr = false;
    if (this.held === 0) return;
    if (this.column >= LAST_COLUMN) this.softBreak();
    this.out.bytes[this.out.length++] = this.held === HELD_SPACE ? SPACE : TAB;
    this.column += 1;
    this.held = 0;
  }

  private softBreak(): void {
    this.out.bytes[this.out.length++] = EQUALS;
    this.out.bytes[this.out.length++] = CR;
    this.out.bytes[this.out.length++] = LF;
    this.column = 0;
  }

  private escape(octet: number): void {
    this.out.bytes[this.out.length++] = EQUALS;
    this.out.bytes[this.out.length++] = HEX[octet >> 4] as number;
    this.out.bytes[this.out.length++] = HEX[octet & 15] as number;
    this.column += 3;
  }
}

function codePointAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0xfffd;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

/** Length of `[white space] line break` at an offset, or -1; the end of the data counts as a line break. */
function softBreakLength(encoded: Uint8Array, from: number): number {
  let at = from;
  while (encoded[at] === SPACE || encoded[at] === TAB) at += 1;
  if (at >= encoded.length) return at - from;
  if (encoded[at] === LF) return at - from + 1;
  if (encoded[at] !== CR) return -1;
  return at - from + (encoded[at + 1] === LF ? 2 : 1);
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const upper = byte & 0xdf;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}
