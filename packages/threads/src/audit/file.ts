import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of the audit log: one a platform, in a folder of their own, readable by their owner alone. */

const PLATFORM_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const CHUNK_BYTES = 65_536;
/** No line is as long; a file that has one is none of ours. */
const LONGEST_LINE_BYTES = 1_048_576;

export class AuditFileError extends Error {
  override readonly name = 'AuditFileError';
}

/**
 * `<folder>/<platform id>.jsonl`.
 *
 * @throws AuditFileError for an id that is no safe file name.
 */
export function auditFile(folder: string, platformId: string): string {
  if (!PLATFORM_ID.test(platformId)) {
    throw new AuditFileError(`the platform id ${JSON.stringify(platformId)} cannot name an audit file`);
  }
  return join(folder, `${platformId}.jsonl`);
}

/** Makes the folder, for its owner alone. @throws AuditFileError when it is a link or no folder. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new AuditFileError(`${folder} is no folder, or a link to one`);
  if ((found.mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/**
 * Opens a file to append to it, or to read it. It is never reached through a link, and never one with a second name.
 *
 * @returns null when it is to be read and does not exist.
 * @throws AuditFileError when it is a link, has another name, or is no file.
 */
export async function openAuditFile(file: string, mode: 'append'): Promise<FileHandle>;
export async function openAuditFile(file: string, mode: 'append' | 'read'): Promise<FileHandle | null>;
export async function openAuditFile(file: string, mode: 'append' | 'read'): Promise<FileHandle | null> {
  const access =
    mode === 'read' ? constants.O_RDONLY : constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
  let handle: FileHandle;
  try {
    // Without blocking, as a pipe under that name would.
    handle = await open(file, access | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (mode === 'read' && code === 'ENOENT') return null;
    if (code === 'ELOOP') throw new AuditFileError(`${file} is a link`, { cause: error });
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new AuditFileError(`${file} is no file`);
    if (found.nlink !== 1) throw new AuditFileError(`${file} has ${found.nlink} names`);
    if (mode === 'append' && (found.mode & 0o077) !== 0) await handle.chmod(0o600);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export interface FileLine {
  /** Where it begins, in bytes. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether it ends with a line break. */
  readonly isComplete: boolean;
}

/**
 * The lines before `end`, the last first. What follows the last line break comes first of all, and is empty in a
 * file that is whole.
 */
export async function* linesBackwards(handle: FileHandle, end: number): AsyncGenerator<FileLine> {
  let position = end;
  let rest = Buffer.alloc(0);
  let isComplete = false;
  for (;;) {
    for (let at = rest.lastIndexOf(10); at >= 0; at = rest.lastIndexOf(10)) {
      yield { offset: position + at + 1, bytes: rest.subarray(at + 1), isComplete };
      rest = rest.subarray(0, at);
      isComplete = true;
    }
    if (position === 0) {
      yield { offset: 0, bytes: rest, isComplete };
      return;
    }
    if (rest.length > LONGEST_LINE_BYTES) throw new AuditFileError('the file has a line that is too long');
    const size = Math.min(CHUNK_BYTES, position);
    position -= size;
    rest = Buffer.concat([await readFully(handle, position, size), rest]);
  }
}

/** The lines from the first on. */
export async function* linesForwards(handle: FileHandle): AsyncGenerator<FileLine> {
  let rest = Buffer.alloc(0);
  let offset = 0;
  for (;;) {
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      yield { offset, bytes: rest.subarray(0, at), isComplete: true };
      rest = rest.subarray(at + 1);
      offset += at + 1;
    }
    if (rest.length > LONGEST_LINE_BYTES) throw new AuditFileError('the file has a line that is too long');
    const chunk = await readFully(handle, offset + rest.length, CHUNK_BYTES);
    if (chunk.length === 0) {
      if (rest.length > 0) yield { offset, bytes: rest, isComplete: false };
      return;
    }
    rest = Buffer.concat([rest, chunk]);
  }
}

/** As many bytes as there are, up to `size`. */
async function readFully(handle: FileHandle, position: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
