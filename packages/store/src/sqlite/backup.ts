import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** All of it in one step: a step sees one state of the database, and the next would start anew after a write. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a database in use to `target`, which then holds all that was committed when the copy began. The
 * work is done off the event loop, over a connection of its own so that an open transaction stays out.
 * `target` appears only when the copy is whole and on the disk, and it is one file that stands alone.
 *
 * @throws Error when `target` exists: it could be a database that somebody uses.
 */
export async function backupDatabase(file: string, target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`${target} exists already`);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  try {
    const source = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    try {
      await backup(source, partial, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    // The copy says that it keeps a write-ahead log, as the original does; who opens it would get two more files.
    const copy = new DatabaseSync(partial);
    copy.exec('PRAGMA journal_mode = DELETE');
    copy.close();
    await handle.sync();
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  const folder = await open(dirname(target), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
