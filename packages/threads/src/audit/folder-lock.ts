import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@postern/kit';
import { AuditFileError } from './file.ts';

const WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 50;

/** Lets one process at a time write in a folder. */
export interface FolderLock {
  /** @throws AuditFileError when others hold it for too long. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * The lock is one that the operating system takes back when the process dies, however it dies: that of SQLite, on a
 * file in which nothing is ever written.
 */
export async function folderLock(folder: string, clock: Clock): Promise<FolderLock> {
  const file = join(folder, 'lock.sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  await chmod(file, 0o600);
  database.exec('PRAGMA journal_mode = MEMORY');
  let turn: Promise<unknown> = Promise.resolve();

  const take = async (): Promise<void> => {
    let waited = 0;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        database.exec('BEGIN EXCLUSIVE');
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (waited >= WAIT_MS) throw new AuditFileError('another process keeps the audit log locked');
      }
      await clock.sleep(pause);
      waited += pause;
    }
  };

  return {
    hold(work) {
      const mine = turn.then(async () => {
        await take();
        try {
          return await work();
        } finally {
          database.exec('ROLLBACK');
        }
      });
      turn = mine.catch(() => {});
      return mine;
    },
    close: () => database.close(),
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
