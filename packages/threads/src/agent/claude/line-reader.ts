/** Longest line that is read; a message with several images, echoed by the agent, is tens of megabytes. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines. Bytes are put together before they are decoded, so a character that arrives
 * in two chunks stays whole. A line over the bound is dropped up to its end, and the next one is read as usual.
 */
export class LineReader {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #isDropping = false;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that the chunk completes, without their ends; null stands for one that was too long. */
  push(chunk: Uint8Array): (string | null)[] {
    const lines: (string | null)[] = [];
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, feed));
      lines.push(this.#take());
      start = feed + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What is left when the stream ends without a line end. */
  end(): (string | null)[] {
    return this.#size === 0 && !this.#isDropping ? [] : [this.#take()];
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0 || this.#isDropping) return;
    if (this.#size + part.length > this.#maxBytes) {
      this.#parts = [];
      this.#size = 0;
      this.#isDropping = true;
      return;
    }
    this.#parts.push(part);
    this.#size += part.length;
  }

  #take(): string | null {
    const line = this.#isDropping ? null : decode(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    this.#isDropping = false;
    return line;
  }
}

function decode(parts: readonly Uint8Array[], size: number): string {
  const [only] = parts;
  const bytes =
    parts.length === 1 && only ? Buffer.from(only.buffer, only.byteOffset, size) : Buffer.concat(parts);
  return bytes.toString('utf8').replace(/\r$/, '');
}
