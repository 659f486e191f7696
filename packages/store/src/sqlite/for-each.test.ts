import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore } from '../testing/index.ts';
import { forEachRow } from './for-each.ts';

interface Tables {
  readonly things: { readonly name: string; readonly size: number | null };
}

const INSERT = 'INSERT INTO things (name, size) VALUES (?, ?)';

async function thingsStore() {
  const { store } = await freshStore('sqlite');
  await sql`CREATE TABLE things (name TEXT PRIMARY KEY, size INTEGER CHECK (typeof(size) <> 'real'))`.execute(
    store.db,
  );
  const db = store.db as unknown as Kysely<Tables>;
  return { store, all: () => db.selectFrom('things').selectAll().orderBy('name').execute() };
}

test('a statement is run once for each row, whole numbers staying whole', async () => {
  const { store, all } = await thingsStore();
  await store.transaction(async (tx) => {
    await forEachRow(tx, INSERT, [
      ['b', 2],
      ['a', null],
    ]);
    await forEachRow(tx, INSERT, []);
  });
  expect(await all()).toEqual([
    { name: 'a', size: null },
    { name: 'b', size: 2 },
  ]);
});

test('a row that fails takes those before it with it', async () => {
  const { store, all } = await thingsStore();
  const twice = store.transaction((tx) =>
    forEachRow(tx, INSERT, [
      ['a', 1],
      ['a', 2],
    ]),
  );
  await expect(twice).rejects.toThrow(/UNIQUE/);
  expect(await all()).toEqual([]);
});

test('PostgreSQL is not given it', async () => {
  const { store } = await freshStore('postgres');
  const running = store.transaction((tx) => forEachRow(tx, 'SELECT 1', [[]]));
  await expect(running).rejects.toThrow('only SQLite');
});
