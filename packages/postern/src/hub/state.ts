import type { InboxTables } from '@postern/inbox';
import type { Clock } from '@postern/kit';
import type { ChatTables } from '@postern/local-chat';
import {
  type BlobStore,
  connectStore,
  databaseBlobs,
  fileBlobs,
  lockDataFolder,
  migrate,
  reclaimAfterRestart,
  type Store,
  type StoreLog,
  type StoreTables,
} from '@postern/store';
import { refuseUnfinishedRestore } from '../backup/replace.ts';
import type { Config } from '../config/load.ts';
import type { ConsoleTables } from '../console/tables.ts';
import { blobsFolder, databaseFile, Refusal } from '../secrets/data-folder.ts';
import { allMigrations } from './migrations.ts';
import { removePid, writePid } from './run-files.ts';

export type HubTables = StoreTables & ChatTables & InboxTables & ConsoleTables;

/** Everything that outlives the process: the database, brought up to date, and the blobs. */
export interface State {
  readonly store: Store<HubTables>;
  readonly blobs: BlobStore;
  /** Names of the migrations that ran. */
  readonly migrated: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens SQLite in the data folder, alone, or PostgreSQL, together with others.
 *
 * @throws DataFolderLockedError, DatabaseTooNewError, or Refusal when PostgreSQL can't be reached.
 */
export async function openState(config: Config, clock: Clock, log: StoreLog): Promise<State> {
  const { dataDir, databaseUrl } = config;
  refuseUnfinishedRestore(dataDir);
  const release = databaseUrl === null ? await holdFolder(dataDir) : shareFolder(dataDir);
  try {
    const store = await connect(config, clock, log);
    try {
      const migrated = await migrate(store, allMigrations);
      await reclaimAfterRestart(store);
      const blobs =
        store.engine === 'sqlite' ? await fileBlobs(blobsFolder(dataDir), clock) : databaseBlobs(store);
      return {
        store,
        blobs,
        migrated,
        async close() {
          await store.close();
          await release();
        },
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    await release();
    throw error;
  }
}

async function holdFolder(dataDir: string): Promise<() => Promise<void>> {
  const lock = await lockDataFolder(dataDir);
  return () => lock.release();
}

/** On PostgreSQL the folder holds no more than secrets, so that processes may share it; the last one's id stands there. */
function shareFolder(dataDir: string): () => Promise<void> {
  writePid(dataDir);
  return async () => removePid(dataDir);
}

async function connect(
  { databaseUrl, dataDir }: Config,
  clock: Clock,
  log: StoreLog,
): Promise<Store<HubTables>> {
  if (databaseUrl === null) return connectStore<HubTables>({ file: databaseFile(dataDir), clock, log });
  try {
    return await connectStore<HubTables>({ url: databaseUrl.reveal(), clock, log });
  } catch (error) {
    throw new Refusal(`PostgreSQL cannot be reached: ${reasonOf(error)}; see POSTERN_DATABASE_URL`);
  }
}

/** The driver's code and first line; its message names host and database, never the password. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [line = ''] = (message ?? '').split('\n');
  return [line, code].filter(Boolean).join(', ') || 'no connection';
}
