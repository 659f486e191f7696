import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type InboxTables, inboxMigrations } from '@postern/inbox';
import { systemClock } from '@postern/kit';
import { type ChatTables, chatMigrations } from '@postern/local-chat';
import { connectStore, migrate, type Store, type StoreLimits, storeMigrations } from '@postern/store';
import { privatePostgres } from '@postern/store/testing/postgres';
import { sql } from 'kysely';
import type { BenchmarkContext } from './benchmark.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export const ENGINE_NAMES: Readonly<Record<Engine, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export type BenchTables = ChatTables & InboxTables;
export type BenchStore = Store<BenchTables>;

/** One hub's database, and the data folder that goes with it. */
export interface Database {
  readonly engine: Engine;
  readonly dataDir: string;
  /** Null on SQLite, where it lies in the data folder. */
  readonly url: string | null;
  /** A store on it; the caller closes it. */
  open(limits?: Partial<StoreLimits>): Promise<BenchStore>;
}

/**
 * PostgreSQL as it would be set up for use, not for tests: what is committed is on the disk, and it vacuums
 * and analyses by itself.
 */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '128MB',
  max_wal_size: '4GB',
};

/** Gives what makes empty databases of one engine, migrated. */
export async function databaseMaker(
  engine: Engine,
  { folder, stack }: Pick<BenchmarkContext, 'folder' | 'stack'>,
): Promise<(name: string) => Promise<Database>> {
  const server = engine === 'postgres' ? await privatePostgres(SETTINGS) : null;
  if (server) stack.defer(() => server.close());
  return async (name) => {
    const dataDir = join(folder, `${engine}-${name}`);
    mkdirSync(dataDir, { mode: 0o700 });
    const url = server === null ? null : await createDatabase(server.base, name);
    const database: Database = {
      engine,
      dataDir,
      url,
      open: (limits = {}) =>
        connectStore<BenchTables>({
          ...(url === null ? { file: join(dataDir, 'postern.db') } : { url }),
          clock: systemClock,
          limits,
        }),
    };
    const store = await database.open();
    try {
      await migrate(store, [...storeMigrations, ...chatMigrations, ...inboxMigrations]);
    } finally {
      await store.close();
    }
    return database;
  };
}

async function createDatabase(base: string, name: string): Promise<string> {
  const administrator = await connectStore<object>({ url: `${base}postgres`, clock: systemClock });
  try {
    await sql`CREATE DATABASE ${sql.id(name)}`.execute(administrator.db);
  } finally {
    await administrator.close();
  }
  return base + name;
}
