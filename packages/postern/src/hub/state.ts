import type { CampaignsTables } from '@postern/campaigns';
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
import type { ThreadsTables } from '@postern/threads';
import { removeOldStaging } from '../backup/leftovers.ts';
import { refuseUnfinishedRestore } from '../backup/replace.ts';
import type { Config } from '../config/load.ts';
import type { ConsoleTables } from '../console/tables.ts';
import { blobsFolder, databaseFile, Refusal } from '../secrets/data-folder.ts';
import { allMigrations } from './migrations.ts';
import { forgetServerUrl, removePid, writePid } from './run-files.ts';

export type HubTables = StoreTables &
  ChatTables &
  InboxTables &
  CampaignsTables &
  ThreadsTables &
  ConsoleTables;

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
  let store: Store<HubTables> | null = null;
  try {
    store = await connect(config, clock, log);
    const migrated = await migrate(store, allMigrations);
    await reclaimAfterRestart(store);
    const blobs =
      store.engine === 'sqlite' ? await fileBlobs(blobsFolder(dataDir), clock) : databaseBlobs(store);
    return { store, blobs, migrated, close: () => closeAll(store, release) };
  } catch (error) {
    await closeAll(store, release);
    throw error;
  }
}

async function closeAll(store: Store<HubTables> | null, release: () => Promise<void>): Promise<void> {
  try {
    await store?.close();
  } finally {
    await release();
  }
}

async function holdFolder(dataDir: string): Promise<() => Promise<void>> {
  const lock = await lockDataFolder(dataDir);
  // What a killed server left: whoever listens there now is not to be sent the admin key.
  forgetServerUrl(dataDir);
  await removeOldStaging(dataDir);
  return () => lock.release();
}

/** On PostgreSQL the folder holds no more than secrets, so that processes may share it; the last one's id stands there. */
function shareFolder(dataDir: string): () => Promise<void> {
  writePid(dataDir);
  return async () => removePid(dataDir);
}

async function connect(config: Config, clock: Clock, log: StoreLog): Promise<Store<HubTables>> {
  const { databaseUrl, dataDir } = config;
  const place = databaseUrl === null ? { file: databaseFile(dataDir) } : { url: databaseUrl.reveal() };
  try {
    return await connectStore<HubTables>({ ...place, clock, log });
  } catch (error) {
    // The store's message names the place and the driver's reason, never a password.
    const hint = databaseUrl === null ? 'restore a backup if it is damaged' : 'see POSTERN_DATABASE_URL';
    throw new Refusal(`${error instanceof Error ? error.message : String(error)}; ${hint}`);
  }
}
