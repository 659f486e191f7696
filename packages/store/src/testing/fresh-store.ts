import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@postern/kit';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
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

type Cleanup = () => Promise<void>;

/** What the running test has opened, and what was opened outside of one. */
const ofTest: Cleanup[] = [];
const ofFile: Cleanup[] = [];
let isInTest = false;

function whenOver(cleanup: Cleanup): void {
  (isInTest ? ofTest : ofFile).push(cleanup);
}

async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

beforeEach(() => {
  isInTest = true;
});

afterEach(async () => {
  isInTest = false;
  await cleanUp(ofTest);
});

afterAll(() => cleanUp(ofFile));

/** Runs the same tests on both engines. */
export function describeEngines(name: string, tests: (engine: Engine) => void): void {
  describe.each(ENGINES)(`${name} on %s`, tests);
}

/**
 * An empty place for a database: a file in a new folder, or a database on the run's server. It is gone with
 * the test, or with the file when it was not asked for in a test. Not for tests that run concurrently.
 */
export async function freshPlace(engine: Engine): Promise<Place> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'postern-store-'));
    whenOver(() => rm(folder, { recursive: true, force: true }));
    return { file: join(folder, 'postern.sqlite') };
  }
  const base = await serverBase();
  const name = spareDatabases.pop() ?? (await createDatabase(base));
  whenOver(async () => {
    await emptyDatabase(base, name);
    spareDatabases.push(name);
  });
  return { url: base + name };
}

/** A store of its own for a test, migrated; closed by itself when {@link freshPlace} says. */
export async function freshStore<DB = StoreTables>(
  engine: Engine,
  options: FreshStoreOptions = {},
): Promise<FreshStore<DB>> {
  const { migrations = [], ...rest } = options;
  const place = await freshPlace(engine);
  const open = async (more: FreshStoreOptions): Promise<Store<DB>> => {
    const store = await connectStore<DB>({ ...place, clock: systemClock, ...more });
    whenOver(() => store.close());
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
    ofFile.unshift(async () => (await ownServer)?.close());
  }
  return (await ownServer).base;
}

/** Made in a quarter of a second and emptied in far less, so a test file uses them again. */
const spareDatabases: string[] = [];

async function createDatabase(base: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(`${base}postgres`, `CREATE DATABASE ${name}`);
  // At the end even if a test left something running in it.
  ofFile.push(() => asAdministrator(`${base}postgres`, `DROP DATABASE ${name} WITH (FORCE)`));
  return name;
}

async function emptyDatabase(base: string, name: string): Promise<void> {
  await asAdministrator(
    base + name,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    'DROP SCHEMA public CASCADE',
    'CREATE SCHEMA public',
  );
}

async function asAdministrator(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
