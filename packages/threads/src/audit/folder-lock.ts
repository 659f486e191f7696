import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@postern/kit';
import { AuditFileError } from './file.ts';

const WAIT_MS = 10_000;
/** Between two looks of whoever waits at the door, and of the one who is next. */
const DOOR_PAUSE_MS = 20;
const NEXT_PAUSE_MS = 2;

/** Lets one process at a time write in a folder. */
export interface FolderLock {
  /** @throws AuditFileError when others hold it for too long. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * The lock is one that the operating system takes back when the process dies, however it dies: that of SQLite, on
 * files in which nothing is ever written. Whoever wants it goes through a door first, and holds that until the lock
 * is theirs: so a process that writes without a pause cannot take it again and again while another waits.
 */
export async function folderLock(folder: string, clock: Clock): Promise<FolderLock> {
  const door = await openLock(join(folder, 'door.sqlite'));
  const lock = await openLock(join(folder, 'lock.sqlite'));
  let turn: Promise<unknown> = Promise.resolve();

  const take = async (database: DatabaseSync, pauseMs: number): Promise<void> => {
    for (let waited = 0; !isTaken(database); waited += pauseMs) {
      if (waited >= WAIT_MS) throw new AuditFileError('another process keeps the audit log locked');
      await clock.sleep(pauseMs);
    }
  };

  const enter = async (): Promise<void> => {
    await take(door, DOOR_PAUSE_MS);
    try {
      await take(lock, NEXT_PAUSE_MS);
    } finally {
      door.exec('ROLLBACK');
    }
  };

  return {
    hold(work) {
      const mine = turn.then(async () => {
        await enter();
        try {
          return await work();
        } finally {
          lock.exec('ROLLBACK');
        }
      });
      turn = mine.catch(() => {});
      return mine;
    },
    close() {
      door.close();
      lock.close();
    },
  };
}

async function openLock(file: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(file, { timeout: 0 });
  // Nothing may be asked of it here, as another process may hold it.
  await chmod(file, 0o600);
  return database;
}

/** Takes a lock that is free. */
function isTaken(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

const SQLITE_BUSY = 5;
