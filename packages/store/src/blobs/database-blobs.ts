import { Readable } from 'node:stream';
import type { Store } from '../store.ts';
import type { StoreTables } from '../tables.ts';
import {
  ABANDONED_AFTER_MS,
  type BlobContent,
  type BlobStore,
  type ByteRange,
  bounded,
  checkBlobId,
  checkRange,
  type StoredBlob,
} from './blob-store.ts';

/** Size of every row but a blob's last; where a byte is follows from it, so it never changes. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Blobs in the database, where several machines share them. The pieces are written one by one, without a
 * transaction held open while the content comes in; the blob is there when its row says complete.
 */
export function databaseBlobs(store: Store<StoreTables>): BlobStore {
  return new DatabaseBlobs(store);
}

class DatabaseBlobs implements BlobStore {
  readonly #store: Store<StoreTables>;

  constructor(store: Store<StoreTables>) {
    this.#store = store;
  }

  async put(id: string, content: BlobContent, limits: { maxBytes?: number } = {}): Promise<{ size: number }> {
    checkBlobId(id);
    const { db, clock } = this.#store;
    const upload = await db
      .insertInto('blobs')
      .values({ blob_id: id, size_bytes: 0, complete: 0, created_us: clock.nowMicroseconds() })
      .returning('upload_id')
      .executeTakeFirstOrThrow();
    try {
      let size = 0;
      let position = 0;
      for await (const data of evenChunks(bounded(content, limits.maxBytes))) {
        await db.insertInto('blob_chunks').values({ upload_id: upload.upload_id, position, data }).execute();
        position += 1;
        size += data.byteLength;
      }
      await this.#complete(id, upload.upload_id, size);
      return { size };
    } catch (error) {
      await db.deleteFrom('blobs').where('upload_id', '=', upload.upload_id).execute();
      throw error;
    }
  }

  async #complete(id: string, uploadId: number, size: number): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await tx.deleteFrom('blobs').where('blob_id', '=', id).where('complete', '=', 1).execute();
      const row = { complete: 1, size_bytes: size };
      await tx.updateTable('blobs').set(row).where('upload_id', '=', uploadId).execute();
    });
  }

  async open(id: string): Promise<StoredBlob | undefined> {
    checkBlobId(id);
    const query = this.#store.db.selectFrom('blobs').select(['upload_id', 'size_bytes']);
    const row = await query.where('blob_id', '=', id).where('complete', '=', 1).executeTakeFirst();
    if (!row) return undefined;
    return {
      size: row.size_bytes,
      stream: (range) => {
        if (range) checkRange(range, row.size_bytes);
        const wanted = range ?? { start: 0, end: row.size_bytes - 1 };
        return Readable.from(this.#read(row.upload_id, wanted), { objectMode: false });
      },
    };
  }

  async *#read(uploadId: number, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    for (let at = start; at <= end; ) {
      const position = Math.floor(at / CHUNK_BYTES);
      const query = this.#store.db.selectFrom('blob_chunks').select('data').where('upload_id', '=', uploadId);
      const row = await query.where('position', '=', position).executeTakeFirst();
      if (!row) throw new Error('the blob was deleted while it was read');
      const before = position * CHUNK_BYTES;
      yield row.data.subarray(at - before, end + 1 - before);
      at = before + CHUNK_BYTES;
    }
  }

  async delete(id: string): Promise<boolean> {
    checkBlobId(id);
    const query = this.#store.db.deleteFrom('blobs').where('blob_id', '=', id).where('complete', '=', 1);
    return (await query.executeTakeFirstOrThrow()).numDeletedRows > 0n;
  }

  async sweep(): Promise<void> {
    const { db, clock } = this.#store;
    const before = clock.nowMicroseconds() - ABANDONED_AFTER_MS * 1_000;
    await db.deleteFrom('blobs').where('complete', '=', 0).where('created_us', '<', before).execute();
  }
}

/** The same bytes in pieces of {@link CHUNK_BYTES}, the last one shorter. */
async function* evenChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.byteLength; ) {
      const part = piece.subarray(from, from + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      from += part.byteLength;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
