/** A growing byte buffer that is written to at its end and used again and again. */
export class ByteWriter {
  /** The storage; valid up to {@link length}, and replaced when it grows. */
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 16_384) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for so many more bytes, so that they can be stored without further checks. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  append(chunk: Uint8Array): void {
    this.reserve(chunk.length);
    this.bytes.set(chunk, this.length);
    this.length += chunk.length;
  }

  /** A copy of what was written from an offset on. */
  copy(from = 0): Buffer {
    return Buffer.from(this.bytes.subarray(from, this.length));
  }

  reset(): void {
    this.length = 0;
  }
}
