import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@postern/kit';
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { connectStore } from '../connect.ts';
import { type Migration, migrate } from '../migrate.ts';
import { storeMigrations } from '../migrations.ts';
import type { Engine, Store, StoreLimits, StoreLog } from '../store.ts';
import type { StoreTables } from '../tables.ts';
import { testServer } from './test-server.ts';

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

/** Before what was there, so that it goes last: the cleanups run from the end. */
function whenFileIsOver(cleanup: Cleanup): void {
  ofFile.unshift(cleanup);
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
export function freshPlace(engine: Engine): Promise<Place> {
  return copyOf(engine, undefined);
}

async function copyOf(engine: Engine, template: string | undefined): Promise<Place> {
  if (engine === 'sqlite') {
    const file = join(await freshFolder(whenOver), 'postern.sqlite');
    if (template !== undefined) await copyFile(template, file);
    return { file };
  }
  const server = await testServer(whenFileIsOver);
  const name = await server.create(template);
  // At the end even if the test left something running in it.
  whenOver(() => server.drop(name));
  return { url: server.base + name };
}

async function freshFolder(removeWhen: (cleanup: Cleanup) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-store-'));
  removeWhen(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** By engine and fingerprint of the migrations. */
const templates = new Map<string, Promise<string>>();

/** A migrated database to copy: a copy is made in a fraction of the time that the migrations take. */
function templateOf(engine: Engine, migrations: readonly Migration[]): Promise<string> {
  const key = `${engine} ${fingerprint(migrations)}`;
  const template = templates.get(key) ?? makeTemplate(engine, migrations);
  templates.set(key, template);
  return template;
}

async function makeTemplate(engine: Engine, migrations: readonly Migration[]): Promise<string> {
  const fill = async (place: Place): Promise<void> => {
    const store = await connectStore<StoreTables>({ ...place, clock: systemClock });
    await migrate(store, migrations);
    await store.close();
  };
  if (engine === 'sqlite') {
    const file = join(await freshFolder(whenFileIsOver), 'template.sqlite');
    await fill({ file });
    return file;
  }
  const server = await testServer(whenFileIsOver);
  return server.template(fingerprint(migrations), (url) => fill({ url }));
}

function fingerprint(migrations: readonly Migration[]): string {
  const hash = createHash('sha256');
  for (const { name, up } of migrations) hash.update(`${name}\n${up}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** A store of its own for a test, migrated; closed by itself when {@link freshPlace} says. */
export async function freshStore<DB = StoreTables>(
  engine: Engine,
  options: FreshStoreOptions = {},
): Promise<FreshStore<DB>> {
  const { migrations = [], ...rest } = options;
  const place = await copyOf(engine, await templateOf(engine, [...storeMigrations, ...migrations]));
  const open = async (more: FreshStoreOptions): Promise<Store<DB>> => {
    const store = await connectStore<DB>({ ...place, clock: systemClock, ...more });
    whenOver(() => store.close());
    return store;
  };
  const store = await open(rest);
  return { store, place, again: (more = {}) => open({ ...rest, ...more }), close: () => store.close() };
}
