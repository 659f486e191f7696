/** A value of a property list. Dates are seconds since 2001; what is no text, number or truth is left out. */
export type PlistValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue };

const SIGNATURE = 'bplist00';
const TRAILER_BYTES = 32;
/** Bounds on what is made of a list, whatever its objects refer to. */
const MOST_VALUES = 20_000;
const DEEPEST = 16;
/** Bytes of texts and data, of which a list may name the same ones again and again. */
const MOST_BYTES = 16 * 1_048_576;

class PlistFault extends Error {
  override readonly name = 'PlistFault';
}

/**
 * A binary property list of Apple's ("bplist00"): a table of offsets to objects, each after a byte of its kind and
 * size, big-endian. Never throws, and never makes more than a bounded number of values.
 *
 * @returns undefined for anything else.
 */
export function readBinaryPlist(bytes: Uint8Array): PlistValue | undefined {
  try {
    return new PlistReader(bytes).read();
  } catch (error) {
    if (error instanceof PlistFault || error instanceof RangeError) return undefined;
    throw error;
  }
}

class PlistReader {
  readonly #bytes: Buffer;
  readonly #offsetSize: number;
  readonly #referenceSize: number;
  readonly #count: number;
  readonly #top: number;
  readonly #table: number;
  #left = MOST_VALUES;
  #bytesLeft = MOST_BYTES;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < SIGNATURE.length + TRAILER_BYTES) throw new PlistFault('too short');
    if (this.#bytes.toString('latin1', 0, SIGNATURE.length) !== SIGNATURE) throw new PlistFault('no list');
    const trailer = this.#bytes.length - TRAILER_BYTES;
    this.#offsetSize = this.#bytes.readUInt8(trailer + 6);
    this.#referenceSize = this.#bytes.readUInt8(trailer + 7);
    this.#count = this.#unsigned(trailer + 8, 8);
    this.#top = this.#unsigned(trailer + 16, 8);
    this.#table = this.#unsigned(trailer + 24, 8);
  }

  read(): PlistValue {
    return this.#object(this.#top, 0);
  }

  #object(number: number, depth: number): PlistValue {
    this.#left -= 1;
    if (this.#left < 0 || depth > DEEPEST) throw new PlistFault('too much');
    if (number >= this.#count) throw new PlistFault('no such object');
    const at = this.#unsigned(this.#table + number * this.#offsetSize, this.#offsetSize);
    const marker = this.#bytes.readUInt8(at);
    const kind = marker >> 4;
    const size = marker & 0x0f;
    switch (kind) {
      case 0x0:
        return marker === 0x08 ? false : marker === 0x09 ? true : null;
      case 0x1:
        return this.#integer(at + 1, 2 ** size);
      case 0x2:
        return size === 2 ? this.#bytes.readFloatBE(at + 1) : this.#bytes.readDoubleBE(at + 1);
      case 0x3:
        return this.#bytes.readDoubleBE(at + 1);
      default:
        return this.#sized(kind, at, size, depth);
    }
  }

  /** What has a length: data, texts, arrays and dictionaries. */
  #sized(kind: number, at: number, size: number, depth: number): PlistValue {
    let start = at + 1;
    let length = size;
    if (size === 0x0f) {
      const width = 2 ** (this.#bytes.readUInt8(start) & 0x0f);
      length = this.#unsigned(start + 1, width);
      start += 1 + width;
    }
    switch (kind) {
      case 0x4:
        return this.#slice(start, length);
      case 0x5:
        return this.#slice(start, length).toString('latin1');
      case 0x6:
        return Buffer.from(this.#slice(start, length * 2))
          .swap16()
          .toString('utf16le');
      case 0xa:
      case 0xc:
        return this.#references(start, length).map((number) => this.#object(number, depth + 1));
      case 0xd: {
        const numbers = this.#references(start, length * 2);
        const entries = numbers.slice(0, length).map((key, index) => {
          const value = this.#object(numbers[index + length] ?? this.#count, depth + 1);
          return [String(this.#object(key, depth + 1)), value] as const;
        });
        return Object.fromEntries(entries);
      }
      default:
        return null;
    }
  }

  #references(start: number, count: number): number[] {
    if (count > this.#left) throw new PlistFault('too much');
    return Array.from({ length: count }, (_, index) =>
      this.#unsigned(start + index * this.#referenceSize, this.#referenceSize),
    );
  }

  #slice(start: number, length: number): Buffer {
    if (start + length > this.#bytes.length) throw new PlistFault('it ends too early');
    this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) throw new PlistFault('too much');
    return this.#bytes.subarray(start, start + length);
  }

  #integer(at: number, width: number): number {
    if (width === 8) return Number(this.#bytes.readBigInt64BE(at));
    return this.#unsigned(at, width);
  }

  #unsigned(at: number, width: number): number {
    if (width < 1 || width > 8) throw new PlistFault('a width that is none');
    if (width <= 6) return this.#bytes.readUIntBE(at, width);
    const value = this.#bytes.readUIntBE(at + width - 6, 6);
    if (this.#bytes.readUIntBE(at, width - 6) !== 0) throw new PlistFault('a number that is too large');
    return value;
  }
}
