import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pause } from './pause.ts';

/** Another process works on the data folder. */
export class DataFolderLockedError extends Error {
  override readonly name = 'DataFolderLockedError';
  /** Of the process that holds it; undefined when it has not told yet. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    super(
      `the data folder ${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}; stop that first, or use another folder`,
    );
    this.pid = pid;
  }
}

export interface DataFolderLock {
  release(): Promise<void>;
}

const PID_FILE = 'postern.pid';

/**
 * Makes the data folder, readable by its owner alone, unless it exists. What exists keeps its mode, since
 * it may be shared on purpose.
 *
 * @returns whether accounts other than the owner can look into it, which the operator should hear of.
 * @throws Error when it can't be made or is no folder.
 */
export async function prepareDataFolder(folder: string): Promise<{ openToOthers: boolean }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await stat(folder);
  return { openToOthers: process.platform !== 'win32' && (found.mode & 0o077) !== 0 };
}

/**
 * Takes the data folder for this process, until released or until the process dies, however it dies: the
 * lock is one the operating system takes back, on a small SQLite file. The process' id is left in
 * `postern.pid` for service managers and for whoever comes second.
 *
 * @throws DataFolderLockedError when another process, or this one, has it.
 */
export async function lockDataFolder(folder: string): Promise<DataFolderLock> {
  const pidFile = join(folder, PID_FILE);
  const database = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 });
  try {
    // Nothing is ever written, so there must be no journal for the next one to trip over.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new DataFolderLockedError(folder, await holderOf(pidFile));
  }
  try {
    await writeFile(`${pidFile}.new`, `${process.pid}\n`, { mode: 0o644 });
    await rename(`${pidFile}.new`, pidFile);
  } catch (error) {
    database.close();
    throw error;
  }
  let released = false;
  return {
    async release() {
      if (released) return;
      released = true;
      await rm(pidFile, { force: true });
      database.close();
    },
  };
}

/** The holder writes its id right after it has the lock; until then the file is missing or names the last one. */
async function holderOf(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    if (pid > 0 && isAlive(pid)) return pid;
    await pause(20);
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but under another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
