import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { systemClock } from '@postern/kit';
import { connectStore, type Store } from '@postern/store';
import { sql } from 'kysely';
import type { Config } from '../config/load.ts';
import { allMigrations } from '../hub/migrations.ts';
import { databaseFile, looseRights, Refusal } from '../secrets/data-folder.ts';
import { readSecret } from '../secrets/generated.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks of data folder, secrets and database. They look, and neither make nor mend anything. */

export async function checkDataFolder({ dataDir }: Config): Promise<Finding> {
  if (!existsSync(dataDir))
    return ok('data_folder', `${dataDir} does not exist yet; the first start makes it`);
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(
      'data_folder',
      `${dataDir} cannot be written to`,
      'Make it belong to the account that runs Postern, or set POSTERN_DATA_DIR',
    );
  }
  const [loose, ...more] = looseRights(dataDir);
  if (loose === undefined) return ok('data_folder', `${dataDir}, open to its owner alone`);
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return failed(
    'data_folder',
    `${loose}${others} can be read by others`,
    `Run chmod -R go-rwx ${dataDir}; the next start does so too`,
  );
}

export function checkSecrets(config: Config): Finding {
  try {
    const sources = (['adminKey', 'bearerToken'] as const).map((name) => {
      if (config[name] !== null) return 'given by the configuration';
      return readSecret(config.dataDir, name) === null
        ? 'generated at the first start'
        : 'kept in the data folder';
    });
    return ok('secrets', `Admin key: ${sources[0]}; inbox bearer: ${sources[1]}`);
  } catch (error) {
    if (error instanceof Refusal) return failed('secrets', error.message, 'Mend or delete the file');
    throw error;
  }
}

export async function checkDatabase(config: Config): Promise<Finding> {
  const { databaseUrl, dataDir } = config;
  const file = databaseFile(dataDir);
  if (databaseUrl === null && !existsSync(file)) return ok('database', 'SQLite; the first start makes it');
  let store: Store<unknown> | null = null;
  try {
    const place = databaseUrl === null ? { file } : { url: databaseUrl.reveal() };
    store = await connectStore<unknown>({ ...place, clock: systemClock });
    return await inspect(store);
  } catch (error) {
    const reason = (error as Error).message?.split('\n')[0] || (error as NodeJS.ErrnoException).code;
    const fix =
      databaseUrl === null
        ? `Restore a backup, or see whether ${file} is damaged`
        : 'See whether PostgreSQL runs, and POSTERN_DATABASE_URL';
    return failed('database', `The database cannot be used: ${reason}`, fix);
  } finally {
    await store?.close();
  }
}

async function inspect(store: Store<unknown>): Promise<Finding> {
  const known = new Set(allMigrations.map((migration) => migration.name));
  const applied = await appliedMigrations(store);
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    return failed(
      'database',
      `A newer version of Postern made it (${unknown.join(', ')})`,
      'Run that version, or restore a backup made by this one',
    );
  }
  const name = store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const pending = known.size - applied.length;
  if (pending > 0)
    return warning('database', `${name}; ${pending} migrations wait`, 'They run at the next start');
  return ok('database', `${name}, up to date`);
}

async function appliedMigrations(store: Store<unknown>): Promise<string[]> {
  const tables = await store.db.introspection.getTables();
  if (!tables.some((table) => table.name === 'schema_migrations')) return [];
  const { rows } = await sql<{ name: string }>`SELECT name FROM schema_migrations`.execute(store.db);
  return rows.map((row) => row.name);
}
