import type { Readable } from 'node:stream';

/** Bytes by id: attachments and the like. A blob appears whole or not at all, and never changes. */
export interface BlobStore {
  /**
   * Keeps a blob, on the disk when it resolves. One of the same id is replaced.
   *
   * @param id letters, digits, `_` and `-`, at most 128.
   * @throws BlobTooLargeError when there are more than `maxBytes`; nothing is kept then.
   */
  put(id: string, content: BlobContent, limits?: { readonly maxBytes?: number }): Promise<{ size: number }>;
  /** undefined when there is no such blob. */
  open(id: string): Promise<StoredBlob | undefined>;
  /** @returns whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Removes what writers that died have left behind. Call it now and then; other writers are not disturbed. */
  sweep(): Promise<void>;
}

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredBlob {
  readonly size: number;
  /**
   * The bytes, or those from `start` to `end`, both included, as in an HTTP range. Fails as a stream does
   * when the blob is deleted meanwhile.
   */
  stream(range?: ByteRange): Readable;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the content is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** What a writer that lives would never leave lying this long, in milliseconds. */
export const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

/** @throws RangeError for an id that could not be a file's name. */
export function checkBlobId(id: string): void {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw new RangeError('not the id of a blob');
}

/** @throws RangeError for a range that is not within the blob. */
export function checkRange(range: ByteRange, size: number): void {
  const { start, end } = range;
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < size;
  if (!isWithin) throw new RangeError(`bytes ${start}-${end} are not within ${size}`);
}

/** The content in pieces, refused as soon as it is too long. */
export async function* bounded(
  content: BlobContent,
  maxBytes = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    size += piece.byteLength;
    if (size > maxBytes) throw new BlobTooLargeError(maxBytes);
    yield piece;
  }
}
