import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { isSecretPath } from './secret-files.ts';

/**
 * A file of the agent's on its way into a chat. It is opened once and judged by its descriptor, and what is sent is
 * read from that descriptor, so nothing that happens to its path in between matters.
 */

export interface OutboundRules {
  readonly workingDir: string;
  /** Folder of what people sent into the session; null when there is none. */
  readonly uploadDir: string | null;
  /** Folders and files that are never sent, except what lies in the upload folder. */
  readonly deniedPaths: readonly string[];
  readonly maxBytes: number;
}

export interface OutboundFile extends AsyncDisposable {
  readonly name: string;
  readonly sizeBytes: number;
  /** The first bytes, to tell its type by. */
  head(length: number): Promise<Uint8Array>;
  /** All of it, as large as it was when it was checked. @throws Error when it has become shorter. */
  content(): AsyncIterable<Uint8Array>;
}

export type OutboundOutcome =
  | { readonly ok: true; readonly file: OutboundFile }
  | { readonly ok: false; readonly reason: string };

/** Roots that hold far more than one project. */
const TOO_WIDE = ['/', '/home', '/Users', '/root', '/etc', '/var', '/tmp', '/usr', '/opt'];

const SET_ID_BITS = 0o6000;
const CHUNK_BYTES = 65_536;
/** How often an opened file is looked for where a descriptor does not tell its path. */
const LOOKS = 4;

const OUTSIDE = "The file is outside the session's working directory.";
const NOT_THERE = 'There is no such file, or it cannot be read.';
const CREDENTIALS = 'Files that may hold credentials (keys, .env, .git and the like) are never sent.';
const OWN_DATA = "The product's own data and configuration are never sent.";
const NOT_REGULAR = 'Only regular files can be sent.';
const SYMBOLIC_LINK = 'The path is a symbolic link; give the path of the file itself.';

/** Opens a file if it may be sent; the caller disposes of it. Never throws for what a path can be. */
export async function openOutboundFile(path: string, rules: OutboundRules): Promise<OutboundOutcome> {
  const { constants, promises } = process.getBuiltinModule('node:fs');
  if (path.includes('\0') || !isAbsolute(path)) return no('The path has to be absolute.');
  const roots = await rootsOf(rules);
  if (roots.length === 0) {
    return no('The working directory of this session is too wide, or gone, to send files from it.');
  }
  const wanted = resolve(path);
  const before = await place(wanted);
  if (before === null) return no(NOT_THERE);
  const refusal = isSecretPath(wanted) ? CREDENTIALS : await judge(before.path, roots, rules.deniedPaths);
  if (refusal !== null) return no(refusal);
  if (before.stats.isSymbolicLink()) return no(SYMBOLIC_LINK);
  if (!before.stats.isFile()) return no(NOT_REGULAR);

  let handle: FileHandle;
  try {
    // Without O_NONBLOCK a pipe put in the file's place would hold the open for ever.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = await promises.open(wanted, flags);
  } catch (error) {
    return no((error as NodeJS.ErrnoException).code === 'ELOOP' ? SYMBOLIC_LINK : NOT_THERE);
  }
  let isKept = false;
  try {
    const stats = await handle.stat();
    const fault = faultOf(stats, rules.maxBytes);
    if (fault !== null) return no(fault);
    const place = await openedPath(handle, wanted, stats);
    if (place === null) return no('The file was moved while it was being opened; try again.');
    const second = await judge(place, roots, rules.deniedPaths);
    if (second !== null) return no(second);
    isKept = true;
    return { ok: true, file: opened(handle, basename(wanted), stats.size) };
  } finally {
    if (!isKept) await handle.close();
  }
}

function no(reason: string): OutboundOutcome {
  return { ok: false, reason };
}

function faultOf(stats: Stats, maxBytes: number): string | null {
  if (!stats.isFile()) return NOT_REGULAR;
  if (stats.nlink !== 1)
    return 'The file has several hard links, so it may lie outside as well; copy it first.';
  if ((stats.mode & SET_ID_BITS) !== 0) return 'Programs that run as someone else are never sent.';
  if (stats.size === 0) return 'The file is empty.';
  if (stats.size > maxBytes) {
    return `The file has ${stats.size} bytes; at most ${maxBytes} can be sent.`;
  }
  return null;
}

/** What speaks against sending what lies at a real path, or null. */
async function judge(
  path: string,
  roots: readonly Root[],
  deniedPaths: readonly string[],
): Promise<string | null> {
  const root = roots.find((each) => isInside(each.path, path));
  if (root === undefined) return OUTSIDE;
  if (isSecretPath(path)) return CREDENTIALS;
  return !root.isUploads && (await isDenied(path, deniedPaths)) ? OWN_DATA : null;
}

/**
 * Where an opened file really lies, since folders on the way may have been swapped for links between the look and
 * the open. Linux tells the path of a descriptor. Elsewhere the file, which has one link, has to be found at one
 * and the same place several times over. Null when it is not to be found.
 */
async function openedPath(handle: FileHandle, wanted: string, stats: Stats): Promise<string | null> {
  const { promises } = process.getBuiltinModule('node:fs');
  if (process.platform === 'linux') {
    try {
      return await promises.readlink(`/proc/self/fd/${handle.fd}`);
    } catch {
      // No /proc in this container.
    }
  }
  let found: string | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    const now = await place(wanted);
    if (now === null || now.stats.dev !== stats.dev || now.stats.ino !== stats.ino) return null;
    if (found !== null && found !== now.path) return null;
    found = now.path;
  }
  return found;
}

/** Where a path really is, links in its folders followed and one at its end not. */
async function place(path: string): Promise<{ path: string; stats: Stats } | null> {
  const { promises } = process.getBuiltinModule('node:fs');
  try {
    const real = join(await promises.realpath(dirname(path)), basename(path));
    return { path: real, stats: await promises.lstat(real) };
  } catch {
    return null;
  }
}

interface Root {
  readonly path: string;
  readonly isUploads: boolean;
}

async function rootsOf({ workingDir, uploadDir }: OutboundRules): Promise<Root[]> {
  const wide = new Set([...TOO_WIDE, ...(await Promise.all(TOO_WIDE.map(realOrSame)))]);
  const roots: Root[] = [];
  for (const [folder, isUploads] of [
    [uploadDir, true],
    [workingDir, false],
  ] as const) {
    if (folder === null || !isAbsolute(folder)) continue;
    const path = await realOrNull(folder);
    if (path === null || wide.has(path) || parse(path).root === path) continue;
    roots.push({ path, isUploads });
  }
  return roots;
}

async function isDenied(path: string, deniedPaths: readonly string[]): Promise<boolean> {
  for (const denied of deniedPaths) {
    const real = await realOrSame(denied);
    if (path === real || isInside(real, path)) return true;
  }
  return false;
}

/** Whether a path lies below a folder; both are real. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realOrNull(path: string): Promise<string | null> {
  try {
    return await process.getBuiltinModule('node:fs').promises.realpath(path);
  } catch {
    return null;
  }
}

async function realOrSame(path: string): Promise<string> {
  return (await realOrNull(path)) ?? resolve(path);
}

function opened(handle: FileHandle, name: string, sizeBytes: number): OutboundFile {
  const read = async (position: number, length: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(Math.min(length, sizeBytes - position));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, position);
    return bytes.subarray(0, bytesRead);
  };
  return {
    name,
    sizeBytes,
    head: (length) => read(0, length),
    async *content() {
      for (let position = 0; position < sizeBytes; ) {
        const chunk = await read(position, CHUNK_BYTES);
        if (chunk.length === 0) throw new Error('the file became shorter while it was sent');
        position += chunk.length;
        yield chunk;
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
