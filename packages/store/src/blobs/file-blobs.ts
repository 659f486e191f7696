import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '@postern/kit';
import {
  ABANDONED_AFTER_MS,
  type BlobContent,
  type BlobStore,
  bounded,
  checkBlobId,
  checkRange,
  type StoredBlob,
} from './blob-store.ts';

/**
 * Blobs as files, for the one process on a data folder. A blob is written under another name, brought to
 * the disk, and only then gets its own.
 *
 * @param folder made when missing.
 */
export async function fileBlobs(folder: string, clock: Clock): Promise<BlobStore> {
  const incoming = join(folder, 'incoming');
  await makeFolder(folder);
  await makeFolder(incoming);
  return new FileBlobs(folder, incoming, clock);
}

class FileBlobs implements BlobStore {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #clock: Clock;
  /** Files being written by this process, which a sweep leaves alone whatever the clock says. */
  readonly #writing = new Set<string>();

  constructor(folder: string, incoming: string, clock: Clock) {
    this.#folder = folder;
    this.#incoming = incoming;
    this.#clock = clock;
  }

  async put(id: string, content: BlobContent, limits: { maxBytes?: number } = {}): Promise<{ size: number }> {
    const target = this.#path(id);
    const name = randomUUID();
    const partial = join(this.#incoming, name);
    this.#writing.add(name);
    try {
      const size = await writeFile(partial, bounded(content, limits.maxBytes));
      await makeFolder(dirname(target));
      await rename(partial, target);
      await syncFolder(dirname(target));
      return { size };
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    } finally {
      this.#writing.delete(name);
    }
  }

  async open(id: string): Promise<StoredBlob | undefined> {
    const path = this.#path(id);
    const found = await stat(path).catch(undefinedWhenMissing);
    if (!found) return undefined;
    const { size } = found;
    return {
      size,
      stream(range) {
        if (!range) return size === 0 ? Readable.from([]) : createReadStream(path);
        checkRange(range, size);
        return createReadStream(path, { start: range.start, end: range.end });
      },
    };
  }

  async delete(id: string): Promise<boolean> {
    const path = this.#path(id);
    const isGone = await rm(path).then(() => true, undefinedWhenMissing);
    if (isGone) await syncFolder(dirname(path));
    return isGone === true;
  }

  async sweep(): Promise<void> {
    const now = this.#clock.nowMicroseconds() / 1_000;
    for (const name of await readdir(this.#incoming)) {
      if (this.#writing.has(name)) continue;
      const path = join(this.#incoming, name);
      const found = await stat(path).catch(undefinedWhenMissing);
      if (found && now - found.mtimeMs >= ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }

  /** Spread over 256 folders by hash: ids that begin with the time would else all fall into one. */
  #path(id: string): string {
    checkBlobId(id);
    const spread = createHash('sha256').update(id).digest('hex').slice(0, 2);
    return join(this.#folder, spread, id);
  }
}

async function writeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const piece of content) {
      await file.writeFile(piece);
      size += piece.byteLength;
    }
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
}

/** A name is on the disk only when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
