import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * The data folder: 0700, files 0600 (rule 10 of the house). Rights that are too wide are mended where the
 * folder is surely ours, else the start is refused, since closing a shared folder would break others.
 */

/** A start, or a command, that cannot go on for a reason the operator can mend; `message` is one line. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

const GROUP_AND_OTHERS = 0o077;
/** What Postern puts into its data folder; one of them is proof enough that the folder is ours. */
const MARKS = ['postern.db', 'lock.sqlite', 'secrets', 'postern.pid'];

export function secretsFolder(dataDir: string): string {
  return join(dataDir, 'secrets');
}

/** Path of the SQLite database. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'postern.db');
}

export function blobsFolder(dataDir: string): string {
  return join(dataDir, 'blobs');
}

/** The record of what agents did in chat threads, a file for each platform. */
export function auditFolder(dataDir: string): string {
  return join(dataDir, 'audit');
}

/**
 * Makes the folder if need be, and mends rights.
 *
 * @returns what was mended, a line each.
 * @throws Refusal when it can't be used safely.
 */
export function openDataFolder(dataDir: string): string[] {
  const mended: string[] = [];
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    mended.push(...closeFolder(dataDir));
    const secrets = secretsFolder(dataDir);
    mkdirSync(secrets, { recursive: true, mode: 0o700 });
    mended.push(...closeEntry(secrets));
    for (const folder of [dataDir, secrets]) {
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        // Folders below (blobs) are closed by the parent's rights; a link's own rights mean nothing.
        if (lstatSync(path).isFile()) mended.push(...closeEntry(path));
      }
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Refusal(
      `the data folder ${dataDir} cannot be used (${code}); give Postern a folder it owns in POSTERN_DATA_DIR`,
    );
  }
  return mended;
}

/** What is wrong with the rights of the folder and its secrets, without mending anything; for `doctor`. */
export function looseRights(dataDir: string): string[] {
  const secrets = secretsFolder(dataDir);
  const paths = [dataDir, secrets].filter((folder) => existsSync(folder));
  const files = paths.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return [...paths, ...files.filter((path) => lstatSync(path).isFile())].filter((path) =>
    isLoose(lstatSync(path)),
  );
}

function closeFolder(dataDir: string): string[] {
  const stats = lstatSync(dataDir);
  // A link to the folder is fine: what it leads to is judged.
  if (stats.isSymbolicLink()) return closeIfOurs(dataDir);
  if (!stats.isDirectory()) throw new Refusal(`${dataDir} is no folder; POSTERN_DATA_DIR must name one`);
  return isLoose(stats) ? closeIfOurs(dataDir) : [];
}

function closeIfOurs(dataDir: string): string[] {
  // The root of a file system of its own, as volumes are, has this one from the start.
  const entries = readdirSync(dataDir).filter((entry) => entry !== 'lost+found');
  if (entries.length > 0 && !entries.some((entry) => MARKS.includes(entry))) {
    throw new Refusal(
      `the data folder ${dataDir} holds other things and is open to others; run chmod 700 on it, or name an own folder in POSTERN_DATA_DIR`,
    );
  }
  return closeEntry(dataDir);
}

function closeEntry(path: string): string[] {
  const stats = lstatSync(path);
  if (!isLoose(stats)) return [];
  const mode = stats.isDirectory() ? 0o700 : 0o600;
  try {
    chmodSync(path, mode);
  } catch {
    throw new Refusal(
      `${path} is open to others and not ours to close; run chmod ${mode.toString(8)} on it as its owner`,
    );
  }
  return [`${path} was open to others; its mode is now ${mode.toString(8)}`];
}

function isLoose(stats: Stats): boolean {
  // Windows has no such bits: what Node reports there says nothing.
  return process.platform !== 'win32' && !stats.isSymbolicLink() && (stats.mode & GROUP_AND_OTHERS) !== 0;
}
