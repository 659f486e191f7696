/**
 * The little of the ustar format (POSIX.1-1988, with GNU's sizes beyond 8 GiB) that a backup needs, so that
 * any tar can look into one. Streaming on both sides: an archive may be larger than memory.
 */

const BLOCK = 512;
const NAME_BYTES = 100;
const SIZE_FIELD = { start: 124, end: 136 };
const CHECKSUM_FIELD = { start: 148, end: 156 };
/** Largest size that fits into eleven octal digits. */
const LARGEST_OCTAL = 8 ** 11 - 1;

export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Must be read to its end before the next entry is asked for. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Entries as the bytes of an archive. @throws Error when a content is not as long as its entry says. */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield header(entry.name, entry.size);
    let written = 0;
    for await (const chunk of entry.content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== entry.size) throw new Error(`${entry.name} changed while it was read`);
    yield new Uint8Array(padding(entry.size));
  }
  yield new Uint8Array(2 * BLOCK);
}

/** The entries of an archive. @throws TarError when the bytes are none, or end too early. */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(bytes);
  for (;;) {
    const block = await source.take(BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const entry = parseHeader(block);
    let rest = entry.size;
    async function* content(): AsyncGenerator<Uint8Array> {
      while (rest > 0) {
        const chunk = await source.takeSome(rest);
        rest -= chunk.length;
        yield chunk;
      }
    }
    yield { ...entry, content: content() };
    if (rest > 0) throw new Error(`${entry.name} was not read to its end`);
    await source.take(padding(entry.size));
  }
}

export class TarError extends Error {
  override readonly name = 'TarError';
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function header(name: string, size: number): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`${name} is too long a name for the archive`);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(name, 0);
  block.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, NAME_BYTES);
  if (size <= LARGEST_OCTAL) {
    block.write(`${octal(size, 11)}\0`, SIZE_FIELD.start);
  } else {
    block[SIZE_FIELD.start] = 0x80;
    block.writeBigUInt64BE(BigInt(size), SIZE_FIELD.end - 8);
  }
  // Times are left at 0: the manifest says when the backup was made.
  block.write(`${octal(0, 11)}\0`, SIZE_FIELD.end);
  block.write('        0', CHECKSUM_FIELD.start);
  block.write('ustar\x0000', 257);
  block.write(`${octal(sum(block), 6)}\0 `, CHECKSUM_FIELD.start);
  return block;
}

function parseHeader(bytes: Uint8Array): { name: string; size: number } {
  const block = Buffer.from(bytes);
  const checksum = Number.parseInt(text(block, CHECKSUM_FIELD.start, CHECKSUM_FIELD.end), 8);
  const bare = Buffer.from(block);
  bare.fill(' ', CHECKSUM_FIELD.start, CHECKSUM_FIELD.end);
  if (checksum !== sum(bare)) throw new TarError('the archive is damaged');
  const isBinary = ((block[SIZE_FIELD.start] ?? 0) & 0x80) !== 0;
  const size = isBinary
    ? Number(block.readBigUInt64BE(SIZE_FIELD.end - 8))
    : Number.parseInt(text(block, SIZE_FIELD.start, SIZE_FIELD.end), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError('the archive is damaged');
  return { name: text(block, 0, NAME_BYTES), size };
}

function text(block: Buffer, start: number, end: number): string {
  const field = block.subarray(start, end);
  const stop = field.indexOf(0);
  return field
    .subarray(0, stop === -1 ? undefined : stop)
    .toString()
    .trim();
}

function sum(block: Uint8Array): number {
  return block.reduce((total, byte) => total + byte, 0);
}

/** Takes as many bytes as are asked for out of chunks of any size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** At least one byte and at most `most`. */
  async takeSome(most: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new TarError('the archive ends too early');
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0; ) {
      const part = await this.takeSome(missing);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}
