import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, sep } from 'node:path';
import { fail } from '../errors.ts';

export interface OpenedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
}

const SETTING = 'inbox.attachments.allowedDirs';

function isInside(directory: string, path: string): boolean {
  const step = relative(directory, path);
  return step !== '' && step !== '..' && !step.startsWith(`..${sep}`) && !isAbsolute(step);
}

function refused(field: string, message: string) {
  return fail('VALIDATION_FAILED', message, { violations: [{ field, code: 'not_allowed', message }] });
}

/**
 * Opens a file an agent wants to send, once; its bytes must be read from the handle that comes back.
 *
 * The path is resolved first, so a link cannot lead out of the allowed folders. After opening, the path is
 * resolved again and must still name the opened file, so swapping a folder in between gains nothing. A
 * second hard link could be a file of elsewhere, so exactly one is taken.
 *
 * @param field name of the input field, for the violation
 * @throws Failure VALIDATION_FAILED, alike for what is outside and what does not exist there, so that it
 *   tells nothing about other folders; ATTACHMENT_TOO_LARGE_FOR_PLATFORM over `maxBytes`.
 */
export async function openAllowedFile(
  path: string,
  field: string,
  options: { allowedDirs: readonly string[]; maxBytes: number },
): Promise<OpenedFile> {
  if (!isAbsolute(path) || path.includes('\u0000'))
    throw refused(field, 'An attachment path must be absolute.');
  if (options.allowedDirs.length === 0) {
    throw refused(field, `Sending files by path is off; the operator can list folders in ${SETTING}.`);
  }
  const outside = () =>
    refused(field, `The file is not in one of the folders of ${SETTING}, or does not exist there.`);
  const roots: string[] = [];
  for (const directory of options.allowedDirs) {
    const root = await realpath(directory).catch(() => null);
    if (root !== null) roots.push(root);
  }
  const real = await realpath(path).catch(() => null);
  if (real === null || !roots.some((root) => isInside(root, real))) throw outside();
  // O_NONBLOCK keeps a named pipe from holding the open for ever; it is refused just below.
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (handle === null) throw refused(field, 'The file cannot be read by the hub.');
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refused(field, 'An attachment must be a regular file.');
    if (stats.nlink !== 1) throw refused(field, 'A file with more than one hard link is not sent.');
    const again = await realpath(path).catch(() => null);
    const named = again === null ? null : await lstat(again).catch(() => null);
    if (again !== real || named === null || named.dev !== stats.dev || named.ino !== stats.ino)
      throw outside();
    if (stats.size > options.maxBytes) {
      throw fail(
        'ATTACHMENT_TOO_LARGE_FOR_PLATFORM',
        `The file has ${stats.size} bytes; at most ${options.maxBytes} are sent.`,
      );
    }
    return { name: basename(real), sizeBytes: stats.size, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
