import { createHash } from 'node:crypto';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sanitizeName } from '@postern/kit';
import type { AgentContent } from '../agent/agent.ts';
import { type Platform, PlatformError, type PostFile } from '../platforms/platform.ts';
import { SIGNATURE_BYTES, sniffMime } from '../tools/file-type.ts';

/** Files of people's messages, on their way to the agent. */

const MEBIBYTE = 1_048_576;
export const FILE_LIMITS = {
  /** Files of one message. */
  count: 20,
  /** One file that is stored. */
  storedBytes: 50 * MEBIBYTE,
  /** One image that is given as content; providers take no larger ones. */
  imageBytes: 3_750_000,
  /** One PDF that is given as content. */
  documentBytes: 15 * MEBIBYTE,
  /** All that is given as content with one message, so that the request stays under the provider's limit. */
  contentBytes: 20 * MEBIBYTE,
} as const;

const DOWNLOAD_MS = 120_000;
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';

export interface FilesIn {
  readonly content: readonly AgentContent[];
  /** Lines for the agent: where each file lies, what it is, and how large. */
  readonly notes: readonly string[];
  /** Sentences for the people: which files did not come through, and why. */
  readonly refused: readonly string[];
}

/**
 * Stores the files of one message in the session's folder (0700, files 0600) under names that are safe and its own,
 * and gives images and PDFs as content where they are small enough.
 *
 * @param folder the session's; made when missing. @throws Error when it is not a plain folder of ours.
 */
export async function takeFiles(
  platform: Pick<Platform, 'download'>,
  folder: string,
  postId: string,
  files: readonly PostFile[],
): Promise<FilesIn> {
  const content: AgentContent[] = [];
  const notes: string[] = [];
  const refused: string[] = [];
  if (files.length > 0) await privateFolder(folder);
  let given = 0;
  for (const [index, file] of files.entries()) {
    const shown = sanitizeName(file.name, 'a file');
    if (index >= FILE_LIMITS.count) {
      refused.push(`${shown}: more than ${FILE_LIMITS.count} files in one message`);
      continue;
    }
    const bytes = await download(platform, file);
    if (typeof bytes === 'string') {
      refused.push(`${shown}: ${bytes}`);
      continue;
    }
    const mime = await sniffMime(bytes.subarray(0, SIGNATURE_BYTES));
    const path = join(folder, safeName(postId, index, file.name));
    await writeOwn(path, bytes);
    const type = contentType(mime, bytes.length);
    const isGiven = type !== null && given + bytes.length <= FILE_LIMITS.contentBytes;
    if (isGiven) {
      given += bytes.length;
      content.push({ type, mime, base64: Buffer.from(bytes).toString('base64') });
    }
    notes.push(`${path} (${mime}, ${bytes.length} bytes${isGiven ? ', shown here' : ''})`);
  }
  return { content, notes, refused };
}

async function download(platform: Pick<Platform, 'download'>, file: PostFile): Promise<Uint8Array | string> {
  if (file.sizeBytes > FILE_LIMITS.storedBytes) return tooLarge();
  try {
    return await platform.download(file, {
      maxBytes: FILE_LIMITS.storedBytes,
      signal: AbortSignal.timeout(DOWNLOAD_MS),
    });
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'too_large') return tooLarge();
    return 'it could not be fetched';
  }
}

function tooLarge(): string {
  return `it is larger than ${FILE_LIMITS.storedBytes / MEBIBYTE} MB`;
}

function contentType(mime: string, size: number): 'image' | 'document' | null {
  if (IMAGES.has(mime) && size <= FILE_LIMITS.imageBytes) return 'image';
  return mime === PDF && size <= FILE_LIMITS.documentBytes ? 'document' : null;
}

/** Distinct for each file of each post, the same when it is stored again, and never anything but a plain name. */
function safeName(postId: string, index: number, name: string): string {
  const mark = createHash('sha256').update(`${postId}/${index}`).digest('hex').slice(0, 8);
  const plain = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[._-]+/, '');
  // Whole characters, and in UTF-8 still shorter than any file system's limit.
  return `${mark}-${[...plain].slice(-60).join('') || 'file'}`;
}

async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
}

/** Through no link: what lies there under the name is replaced, never written through. */
async function writeOwn(path: string, bytes: Uint8Array): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
