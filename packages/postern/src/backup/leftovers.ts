import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DataFolderLockedError, lockDataFolder } from '@postern/store';

/** Folders that commands work in, and what those leave that were killed: copies of the database and of secrets. */

const WORKSHOP = '.postern-backup-';
const WORKSHOP_NAME = /^\.postern-backup-[A-Za-z0-9]{6}$/;
const STAGING_NAME = /^\.restoring-\d+$/;

export interface Workshop {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder for one backup in `folder`, marked as in use for as long as this process lives. */
export async function openWorkshop(folder: string): Promise<Workshop> {
  const path = await mkdtemp(join(folder, WORKSHOP));
  const lock = await lockDataFolder(path);
  return {
    path,
    async remove() {
      await lock.release();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Removes the workshops of backups whose process has gone; one that is at work, or was never marked, stays. */
export async function removeOldWorkshops(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((name) => WORKSHOP_NAME.test(name))) {
    const path = join(folder, name);
    if (!existsSync(join(path, 'lock.sqlite'))) continue;
    try {
      const lock = await lockDataFolder(path);
      await lock.release();
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      // Somebody else's to remove, or still in use: this backup does not depend on it.
      if (!(error instanceof DataFolderLockedError || (error instanceof Error && 'code' in error)))
        throw error;
    }
  }
}

/** Where a restore of this process unpacks. */
export function stagingFolder(dataDir: string): string {
  return join(dataDir, `.restoring-${process.pid}`);
}

/** Removes what restores unpacked that did not end; the caller holds the data folder, so that none is at work. */
export async function removeOldStaging(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir).filter((name) => STAGING_NAME.test(name))) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
