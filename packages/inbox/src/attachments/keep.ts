import type { BlobStore } from '@postern/store';
import { SNIFF_BYTES, sniffMime } from './sniff.ts';

export interface KeptBytes {
  readonly mime: string;
  readonly sizeBytes: number;
}

/**
 * Writes bytes under an id into the blob store, looking at their head on the way.
 *
 * @throws BlobTooLargeError as soon as more than `maxBytes` have come; nothing is kept then.
 */
export async function keepBytes(
  blobs: BlobStore,
  id: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<KeptBytes> {
  const head: Uint8Array[] = [];
  let headLength = 0;
  async function* watched() {
    for await (const chunk of bytes) {
      if (headLength < SNIFF_BYTES) {
        const part = chunk.subarray(0, SNIFF_BYTES - headLength);
        head.push(part);
        headLength += part.length;
      }
      yield chunk;
    }
  }
  const { size } = await blobs.put(id, watched(), { maxBytes });
  return { mime: await sniffMime(Buffer.concat(head)), sizeBytes: size };
}
