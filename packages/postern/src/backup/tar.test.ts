import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTar, type TarEntry, writeTar } from './tar.ts';

interface File {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function* entriesOf(files: readonly File[]): AsyncGenerator<TarEntry> {
  for (const { name, bytes } of files) yield { name, size: bytes.length, content: pieces(bytes, 7) };
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const file = fc.record({
  name: fc.stringMatching(/^[a-z0-9_./-]{1,100}$/),
  bytes: fc.uint8Array({ maxLength: 2_000 }),
});

test('what is written is read again, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 6 }),
      fc.integer({ min: 1, max: 1_500 }),
      async (files, size) => {
        const archive = await collect(writeTar(entriesOf(files)));
        expect(archive.length % 512).toBe(0);
        const found: File[] = [];
        for await (const entry of readTar(pieces(archive, size))) {
          found.push({ name: entry.name, bytes: new Uint8Array(await collect(entry.content)) });
        }
        expect(found).toEqual(files);
      },
    ),
    { numRuns: 50 },
  );
});

test('an archive that ends early, or is none, is refused', async () => {
  const archive = await collect(writeTar(entriesOf([{ name: 'a', bytes: new Uint8Array(1_000).fill(1) }])));
  const read = async (bytes: Uint8Array) => {
    for await (const entry of readTar(pieces(bytes, 512))) await collect(entry.content);
  };
  await expect(read(archive.subarray(0, 1_024))).rejects.toThrow('ends too early');
  await expect(read(Buffer.alloc(512, 'x'))).rejects.toThrow('damaged');
});

test('a file that is not as long as was said is a fault', async () => {
  async function* lying(): AsyncGenerator<TarEntry> {
    yield { name: 'a', size: 5, content: pieces(new Uint8Array(4), 2) };
  }
  await expect(collect(writeTar(lying()))).rejects.toThrow('changed while it was read');
});
