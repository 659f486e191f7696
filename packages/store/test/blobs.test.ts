import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '@postern/kit';
import { fakeClock } from '@postern/kit/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { type BlobStore, BlobTooLargeError, databaseBlobs, fileBlobs } from '../src/index.ts';
import { freshStore } from '../src/testing/index.ts';

const DAY_MS = 24 * 60 * 60_000;
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-blobs-'));
  folders.push(folder);
  return folder;
}

const kinds: [string, () => Promise<BlobStore>][] = [
  ['files', async () => fileBlobs(join(await newFolder(), 'blobs'), systemClock)],
  ['an SQLite database', async () => databaseBlobs((await freshStore('sqlite')).store)],
  ['a PostgreSQL database', async () => databaseBlobs((await freshStore('postgres')).store)],
];

/** Bytes that differ from place to place, so that a shifted range shows. */
function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256);
}

async function* inPieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function read(
  blobs: BlobStore,
  id: string,
  range?: { start: number; end: number },
): Promise<Uint8Array> {
  const blob = await blobs.open(id);
  if (!blob) throw new Error('no such blob');
  return Uint8Array.from(await buffer(blob.stream(range)));
}

describe.each(kinds)('blobs in %s', (_, make) => {
  test('come back as they were put, whatever the pieces', async () => {
    const blobs = await make();
    const content = bytes(600_000);
    expect(await blobs.put('whole', content)).toEqual({ size: 600_000 });
    expect(await blobs.put('in-pieces', inPieces(content, 70_001))).toEqual({ size: 600_000 });
    expect(await blobs.put('empty', new Uint8Array())).toEqual({ size: 0 });
    expect((await blobs.open('whole'))?.size).toBe(600_000);
    expect(Buffer.compare(await read(blobs, 'whole'), content)).toBe(0);
    expect(Buffer.compare(await read(blobs, 'in-pieces'), content)).toBe(0);
    expect(await read(blobs, 'empty')).toHaveLength(0);
  });

  test('are read by range, both ends included', async () => {
    const blobs = await make();
    const content = bytes(600_000);
    await blobs.put('a', content);
    const ranges = [
      [0, 0],
      [0, 99],
      [599_999, 599_999],
      [262_143, 262_144],
      [262_144, 524_287],
      [100, 599_999],
    ] as const;
    for (const [start, end] of ranges) {
      expect(Buffer.compare(await read(blobs, 'a', { start, end }), content.subarray(start, end + 1))).toBe(
        0,
      );
    }
    const blob = await blobs.open('a');
    for (const [start, end] of [
      [5, 4],
      [0, 600_000],
      [-1, 3],
      [0.5, 3],
    ] as const) {
      expect(() => blob?.stream({ start, end })).toThrow(RangeError);
    }
  });

  test('are replaced as a whole', async () => {
    const blobs = await make();
    await blobs.put('a', bytes(300_000));
    await blobs.put('a', bytes(10));
    expect(await read(blobs, 'a')).toEqual(bytes(10));
  });

  test('are not there until they are whole, and not at all when their writing fails', async () => {
    const blobs = await make();
    const half = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = blobs.put(
      'a',
      (async function* () {
        yield bytes(300_000);
        half.resolve();
        await goOn.promise;
        throw new Error('the sender went away');
      })(),
    );
    const failed = expect(writing).rejects.toThrow('the sender went away');
    await half.promise;
    expect(await blobs.open('a')).toBeUndefined();
    goOn.resolve();
    await failed;
    expect(await blobs.open('a')).toBeUndefined();
    await blobs.put('a', bytes(3));
    expect(await read(blobs, 'a')).toEqual(bytes(3));
  });

  test('are refused as soon as they are too large', async () => {
    const blobs = await make();
    let given = 0;
    const endless = (async function* () {
      for (;;) {
        given += 1;
        yield bytes(100_000);
      }
    })();
    await expect(blobs.put('a', endless, { maxBytes: 350_000 })).rejects.toThrow(BlobTooLargeError);
    expect(given).toBe(4);
    expect(await blobs.open('a')).toBeUndefined();
    await blobs.put('a', bytes(350_000), { maxBytes: 350_000 });
    expect((await blobs.open('a'))?.size).toBe(350_000);
  });

  test('are deleted once', async () => {
    const blobs = await make();
    await blobs.put('a', bytes(3));
    expect(await blobs.delete('a')).toBe(true);
    expect(await blobs.delete('a')).toBe(false);
    expect(await blobs.open('a')).toBeUndefined();
  });

  test('have ids that are no paths', async () => {
    const blobs = await make();
    for (const id of ['', '../a', 'a/b', 'a.b', 'x'.repeat(129)]) {
      await expect(blobs.put(id, bytes(1))).rejects.toThrow(RangeError);
      await expect(blobs.open(id)).rejects.toThrow(RangeError);
      await expect(blobs.delete(id)).rejects.toThrow(RangeError);
    }
  });
});

test('a sweep removes what dead writers left in files, and leaves what is being written', async () => {
  const folder = await newFolder();
  const clock = fakeClock();
  const blobs = await fileBlobs(folder, clock);
  const incoming = join(folder, 'incoming');
  const now = clock.nowMicroseconds() / 1_000_000;
  await writeFile(join(incoming, 'dead'), 'x');
  await utimes(join(incoming, 'dead'), now, now);
  const half = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const writing = blobs.put(
    'a',
    (async function* () {
      yield bytes(10);
      half.resolve();
      await goOn.promise;
    })(),
  );
  await half.promise;
  await blobs.sweep();
  expect(await readdir(incoming)).toContain('dead');
  clock.set(Date.now() * 1_000 + 10 * DAY_MS * 1_000);
  await blobs.sweep();
  expect(await readdir(incoming)).toHaveLength(1);
  goOn.resolve();
  await writing;
  expect(await readdir(incoming)).toEqual([]);
  expect(await read(blobs, 'a')).toEqual(bytes(10));
});

test('files are for their owner alone', async () => {
  const folder = join(await newFolder(), 'blobs');
  const blobs = await fileBlobs(folder, systemClock);
  await blobs.put('a', bytes(3));
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(name.parentPath, name.name));
    expect(mode & 0o777).toBe(name.isDirectory() ? 0o700 : 0o600);
  }
});

test.each(['sqlite', 'postgres'] as const)('a sweep removes what dead writers left in %s', async (engine) => {
  const clock = fakeClock();
  const { store } = await freshStore(engine, { clock });
  const blobs = databaseBlobs(store);
  await blobs.put('kept', bytes(3));
  // What a writer that was killed leaves: a row that is not complete, and its first pieces.
  const { upload_id } = await store.db
    .insertInto('blobs')
    .values({ blob_id: 'lost', size_bytes: 0, complete: 0, created_us: clock.nowMicroseconds() })
    .returning('upload_id')
    .executeTakeFirstOrThrow();
  await store.db
    .insertInto('blob_chunks')
    .values({ upload_id, position: 0, data: bytes(5) })
    .execute();
  await blobs.sweep();
  expect(await store.db.selectFrom('blob_chunks').select('position').execute()).toHaveLength(2);
  await clock.advance(DAY_MS + 1);
  await blobs.sweep();
  expect(await store.db.selectFrom('blob_chunks').select('position').execute()).toHaveLength(1);
  expect(await read(blobs, 'kept')).toEqual(bytes(3));
});
