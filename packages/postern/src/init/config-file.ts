import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from '../secrets/data-folder.ts';

/** The configuration file as it was read, and the one way to put another text in its place. */
export interface ConfigFile {
  /** As the user named it. */
  readonly name: string;
  /** Absolute; where a link leads. */
  readonly path: string;
  /** Null: there is none yet. */
  readonly text: string | null;
  /** Rights; null: there is none yet, or the system has no such thing. */
  readonly mode: number | null;
}

const LARGEST_FILE = 1_048_576;

/** @throws Refusal when it is there and cannot be read. */
export function readConfigFile(path: string, name: string): ConfigFile {
  const real = realPath(path);
  const text = textOf(real, name);
  if (text !== null && text.length > LARGEST_FILE)
    throw new Refusal(`${name} is too large to be the configuration`);
  const stats = statSync(real, { throwIfNoEntry: false });
  const mode = stats === undefined || process.platform === 'win32' ? null : stats.mode & 0o777;
  return { name, path: real, text, mode };
}

/**
 * Puts a text in the place of the file, whole or not at all, readable for its owner alone. `inspect` sees it before,
 * under another name in the same folder.
 *
 * @throws Refusal when it cannot be written, or the file was changed meanwhile; whatever `inspect` throws.
 */
export function replaceConfigFile(
  { name, path, text: before }: ConfigFile,
  text: string,
  inspect: (path: string) => void,
): void {
  const draft = join(dirname(path), `.postern-${randomBytes(6).toString('hex')}.yaml`);
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      keepOwner(file, path);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    inspect(draft);
    if (textOf(path, name) !== before) {
      throw new Refusal(`${name} was changed by somebody else meanwhile; nothing was written. Run it again`);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw codeOf(error) === undefined ? error : new Refusal(`${name} cannot be written (${codeOf(error)})`);
  }
}

/** As when root sets up what another account runs. */
function keepOwner(file: number, path: string): void {
  const old = statSync(path, { throwIfNoEntry: false });
  if (old !== undefined && old.uid !== fstatSync(file).uid) fchownSync(file, old.uid, old.gid);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOf(path: string, name: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new Refusal(`${name} cannot be read (${codeOf(error)})`);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
    ? error.code
    : undefined;
}
