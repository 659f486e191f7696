import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the bot's socket lies: in a folder nobody else may enter, at a path every system's sockets can have. */

/** `sun_path` of macOS and the BSDs holds 104 bytes with the closing zero; Linux four more. */
const LONGEST_PATH_BYTES = 103;
const SUFFIX = '.sock';
const OWNER_ONLY = 0o700;

export interface SocketPlace {
  readonly path: string;
  /** Takes away what was made for it. */
  remove(): Promise<void>;
}

/**
 * A path for a socket of this process in the folder, which is made, or made private; where that path would be too
 * long, in a folder of its own among the temporary ones. On Windows a named pipe.
 *
 * @throws Error when the folder is a link or belongs to someone else.
 */
export async function socketPlace(
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<SocketPlace> {
  const name = randomBytes(6).toString('hex');
  if (platform === 'win32') {
    return { path: `\\\\.\\pipe\\postern-${randomBytes(16).toString('hex')}`, remove: async () => {} };
  }
  const path = join(folder, `${name}${SUFFIX}`);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) {
    await makePrivate(folder);
    await removeStale(folder);
    return { path, remove: () => rm(path, { force: true }) };
  }
  for (const parent of [tmpdir(), '/tmp']) {
    if (Buffer.byteLength(join(parent, `postern-XXXXXX/b${SUFFIX}`)) > LONGEST_PATH_BYTES) continue;
    const own = await mkdtemp(join(parent, 'postern-'));
    return { path: join(own, `b${SUFFIX}`), remove: () => rm(own, { recursive: true, force: true }) };
  }
  throw new Error(`no path for a socket is short enough: ${folder}`);
}

async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const stats = await lstat(folder);
  if (!stats.isDirectory()) throw new Error(`${folder} is no folder`);
  if (process.getuid !== undefined && stats.uid !== process.getuid()) {
    throw new Error(`${folder} belongs to someone else`);
  }
  if ((stats.mode & 0o777) !== OWNER_ONLY) await chmod(folder, OWNER_ONLY);
}

/** Sockets of processes that were killed lie on; one that lives answers. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(SUFFIX)) continue;
    const path = join(folder, name);
    if (await isDead(path)) await rm(path, { force: true });
  }
}

function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
