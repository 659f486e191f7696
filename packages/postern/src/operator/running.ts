import { existsSync } from 'node:fs';
import { DataFolderLockedError, lockDataFolder } from '@postern/store/lock';
import type { HubConfig } from '../config/load.ts';
import { databaseFile } from '../secrets/data-folder.ts';

/** Who runs on the data folder: null when nobody does, as on PostgreSQL. */
export async function runningProcess({
  dataDir,
  databaseUrl,
}: HubConfig): Promise<{ pid: number | undefined } | null> {
  if (databaseUrl !== null || !existsSync(databaseFile(dataDir))) return null;
  try {
    const lock = await lockDataFolder(dataDir);
    await lock.release();
    return null;
  } catch (error) {
    if (error instanceof DataFolderLockedError) return { pid: error.pid };
    throw error;
  }
}
