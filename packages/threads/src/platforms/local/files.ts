import { type OutgoingFile, PlatformError, type PostFile } from '../platform.ts';
import type { LocalChat } from './chat.ts';

/** The bytes of a file on its way out. @throws PlatformError `refused` for an empty one, `too_large` for a big one. */
export function fileContent(file: OutgoingFile, maxBytes: number): AsyncIterable<Uint8Array> {
  if (file.sizeBytes === 0) throw new PlatformError('refused', `${file.name} is empty`);
  if (file.sizeBytes > maxBytes) throw tooLarge(file.name, maxBytes);
  return watched(file, maxBytes);
}

/** A file may have changed its size since it was looked at. */
async function* watched(file: OutgoingFile, maxBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of file.content) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge(file.name, maxBytes);
    yield chunk;
  }
  if (sizeBytes === 0) throw new PlatformError('refused', `${file.name} is empty`);
}

/** @throws PlatformError `not_found`, `too_large`; `unavailable` when the signal aborts. */
export async function readFile(
  chat: Pick<LocalChat, 'readAttachment'>,
  file: PostFile,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<Uint8Array> {
  const stored = await chat.readAttachment(file.id);
  if (stored === null) throw new PlatformError('not_found', `there is no file ${file.id}`);
  if (stored.sizeBytes > maxBytes) throw tooLarge(file.name, maxBytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await stored.open()) {
    if (signal?.aborted === true) throw new PlatformError('unavailable', 'the download was given up');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(name: string, maxBytes: number): PlatformError {
  return new PlatformError('too_large', `${name} has more than ${maxBytes} bytes`);
}
