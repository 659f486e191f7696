import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatMilliseconds, nowMilliseconds, systemClock } from '@postern/kit';
import { connectStore, lockDataFolder, migrate } from '@postern/store';
import { removeOldStaging, stagingFolder } from '../../backup/leftovers.ts';
import { DATABASE, type Manifest } from '../../backup/manifest.ts';
import { unpackBackup } from '../../backup/read.ts';
import { contentOf, isRestoreUnfinished, replaceState } from '../../backup/replace.ts';
import { allMigrations } from '../../hub/migrations.ts';
import { databaseFile, openDataFolder, Refusal } from '../../secrets/data-folder.ts';
import { DONE, type Invocation } from '../command.ts';
import { moment } from '../moment.ts';

/** `postern restore FILE`: unpack, verify, bring the schema up to date, and only then touch what is there. */
export async function restore(invocation: Invocation): Promise<number> {
  const [file = ''] = invocation.arguments;
  const archive = resolve(invocation.workingDirectory, file);
  const config = await invocation.hubConfig();
  const { dataDir } = config;
  openDataFolder(dataDir);
  const lock = await lockDataFolder(dataDir);
  const staging = stagingFolder(dataDir);
  try {
    const [present] = contentOf(dataDir);
    if (present !== undefined && !invocation.has('force')) {
      throw new Refusal(
        `${dataDir} is not empty (it holds ${present}); --force replaces what is there, and keeps it aside`,
      );
    }
    // Of one that was cut short while it put things in place, some may be nowhere else.
    if (!isRestoreUnfinished(dataDir)) await removeOldStaging(dataDir);
    await mkdir(staging, { mode: 0o700 });
    const manifest = await unpackBackup(archive, staging);
    if (manifest.engine === 'sqlite' && config.databaseUrl !== null) {
      throw new Refusal(
        `${file} holds an SQLite database, and the configuration names PostgreSQL: unset POSTERN_DATABASE_URL to restore it`,
      );
    }
    if (manifest.engine === 'sqlite') await prepareDatabase(staging);
    const stamp = formatMilliseconds(nowMilliseconds(systemClock)).replace(/[:.]/g, '-');
    const aside = await replaceState(dataDir, staging, stamp);
    await removeOldStaging(dataDir);
    report(invocation, manifest, aside);
  } finally {
    await rm(staging, { recursive: true, force: true });
    await lock.release();
  }
  return DONE;
}

/** Puts the database where a data folder has it, and refuses one that this version is too old for. */
async function prepareDatabase(staging: string): Promise<void> {
  const database = databaseFile(staging);
  await rename(join(staging, DATABASE), database);
  await rm(join(staging, 'database'), { recursive: true });
  const store = await connectStore({ file: database, clock: systemClock });
  try {
    await migrate(store, allMigrations);
  } finally {
    await store.close();
  }
}

function report({ say }: Invocation, manifest: Manifest, aside: string | null): void {
  say(
    `Restored ${manifest.files.length} files of the backup of ${moment(manifest.created_at)} (Postern ${manifest.version}).`,
  );
  if (aside !== null) say(`What was there before is in ${aside}; delete it when all is well.`);
  if (manifest.engine === 'postgres') {
    say(
      'The archive held secrets only: restore the database itself with pg_restore from the pg_dump made with it.',
    );
  }
}
