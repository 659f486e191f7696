/** Why a stream could not be read; the decoder turns it into a result. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';
}

/** Tags of the format; every other byte in an integer's place is the integer itself, signed. */
const TWO_BYTES = 0x81;
const FOUR_BYTES = 0x82;
const FLOATING = 0x83;
export const NEW = 0x84;
export const NIL = 0x85;
export const END = 0x86;
/** Bytes from here on, and integers up from it, name what came before. */
export const FIRST_REFERENCE = 0x92;

/**
 * Reads the primitives of a typedstream, little-endian. Every read costs at least one unit of a budget that grows
 * with the input, so no input makes more work than a fixed multiple of its length.
 *
 * @throws StreamFault beyond the end of the bytes, or of the budget.
 */
export class StreamBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #budget: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = bytes.length * 4 + 64;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  spend(): void {
    this.#budget -= 1;
    if (this.#budget < 0) throw new StreamFault('it asks for more work than its length allows');
  }

  peek(): number {
    this.#need(1);
    return this.#view.getUint8(this.#at);
  }

  byte(): number {
    const value = this.peek();
    this.#at += 1;
    return value;
  }

  take(length: number): Uint8Array {
    this.#need(length);
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }

  /** An integer in the short form: one byte, or a tag and two or four bytes. */
  integer(): number {
    const head = this.byte();
    if (head === TWO_BYTES) return this.#view.getInt16(this.#skip(2), true);
    if (head === FOUR_BYTES) return this.#view.getInt32(this.#skip(4), true);
    if (head >= 0x80 && head < FIRST_REFERENCE) throw new StreamFault('a tag stands where a number belongs');
    return head > 0x7f ? head - 0x100 : head;
  }

  /** An integer that counts something, so its bytes have no sign. */
  count(): number {
    const head = this.byte();
    if (head === TWO_BYTES) return this.#view.getUint16(this.#skip(2), true);
    if (head === FOUR_BYTES) return this.#view.getUint32(this.#skip(4), true);
    if (head > 0x7f) throw new StreamFault('a tag stands where a length belongs');
    return head;
  }

  floating(size: 4 | 8): number {
    if (this.peek() !== FLOATING) return this.integer();
    this.byte();
    return size === 4
      ? this.#view.getFloat32(this.#skip(4), true)
      : this.#view.getFloat64(this.#skip(8), true);
  }

  /** The number of an earlier object or name. */
  reference(): number {
    const head = this.byte();
    if (head === TWO_BYTES) return this.#view.getUint16(this.#skip(2), true) - (FIRST_REFERENCE - 0x100);
    if (head === FOUR_BYTES) return this.#view.getInt32(this.#skip(4), true) - (FIRST_REFERENCE - 0x100);
    const number = (head > 0x7f ? head - 0x100 : head) - (FIRST_REFERENCE - 0x100);
    if (number < 0) throw new StreamFault('a tag stands where a reference belongs');
    return number;
  }

  #skip(length: number): number {
    this.#need(length);
    const at = this.#at;
    this.#at += length;
    return at;
  }

  #need(length: number): void {
    this.spend();
    if (this.#at + length > this.#bytes.length) throw new StreamFault('it ends too early');
  }
}
