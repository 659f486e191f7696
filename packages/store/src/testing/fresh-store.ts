import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@postern/kit';
import pg from 'pg';
import { afterAll, describe } from 'vitest';
import { connectStore } from '../connect.ts';
import { type Migration, migrate } from '../migrate.ts';
import { storeMigrations } from '../migrations.ts';
import type { Engine, Store, StoreLimits, StoreLog } from '../store.ts';
import type { StoreTables } from '../tables.ts';
import { SERVER_VARIABLE } from './global-setup.ts';
import { type PrivatePostgres, privatePostgres } from './private-postgres.ts';

const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

export interface FreshStoreOptions {
  /** Run after the store's own. */
  readonly migrations?: readonly Migration[];
  /** The system's unless given. */
  readonly clock?: Clock;
  readonly log?: StoreLog;
  readonly limits?: Partial<StoreLimits>;
}

/** Where a database is; give it to {@link connectStore} for one more connection, also from another process. */
export type Place = { readonly file: string } | { readonly url: string };

export interface FreshStore<DB> {
  readonly store: Store<DB>;
  readonly place: Place;
  /** One more store on the same database, as another process would have it; closed at the end. */
  again(options?: Pick<FreshStoreOptions, 'clock' | 'log' | 'limits'>): Promise<Store<DB>>;
  close(): Promise<void>;
}

const cleanups: (() => Promise<void>)[] = [];

/** What is still open when a test file ends is closed, newest first, and its database removed. */
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs the same tests on both engines. */
export function describeEngines(name: string, tests: (engine: Engine) => void): void {
  describe.each(ENGINES)(`${name} on %s`, tests);
}

/** An empty place for a database: a file in a new folder, or a new database on the run's server. */
export async function freshPlace(engine: Engine): Promise<Place> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'postern-store-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    return { file: join(folder, 'postern.sqlite') };
  }
  const base = await serverBase();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(base, `CREATE DATABASE ${name}`);
  cleanups.push(() => asAdministrator(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return { url: base + name };
}

/** A store of its own for a test, migrated. It and its database go away when the test file ends. */
export async function freshStore<DB = StoreTables>(
  engine: Engine,
  options: FreshStoreOptions = {},
): Promise<FreshStore<DB>> {
  const { migrations = [], ...rest } = options;
  const place = await freshPlace(engine);
  const open = async (more: FreshStoreOptions): Promise<Store<DB>> => {
    const store = await connectStore<DB>({ ...place, clock: systemClock, ...more });
    cleanups.push(() => store.close());
    return store;
  };
  const store = await open(rest);
  await migrate(store, [...storeMigrations, ...migrations]);
  return { store, place, again: (more = {}) => open({ ...rest, ...more }), close: () => store.close() };
}

let ownServer: Promise<PrivatePostgres> | undefined;

/** The run's server, or, where the runner has none set up, one for this test file. */
async function serverBase(): Promise<string> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared !== undefined) return shared;
  if (!ownServer) {
    ownServer = privatePostgres();
    cleanups.unshift(async () => (await ownServer)?.close());
  }
  return (await ownServer).base;
}

async function asAdministrator(base: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${base}postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
