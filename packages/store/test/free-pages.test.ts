import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { giveBackFreePages } from '../src/sqlite/free-pages.ts';
import { freshStore } from '../src/testing/fresh-store.ts';

async function filledStore(mebibytes: number) {
  const { store, place } = await freshStore('sqlite');
  const size = async () => {
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(store.db);
    return (await stat('file' in place ? place.file : '')).size;
  };
  await sql`CREATE TABLE large (id integer PRIMARY KEY, content blob NOT NULL)`.execute(store.db);
  for (let id = 0; id < mebibytes; id += 1)
    await sql`INSERT INTO large VALUES (${id}, randomblob(1048576))`.execute(store.db);
  return { store, size };
}

test('room that deleted rows left is given back, and what stays is whole', async () => {
  const { store, size } = await filledStore(24);
  const before = await size();
  await sql`DELETE FROM large WHERE id % 12 <> 0`.execute(store.db);
  const pages = await giveBackFreePages(store, new AbortController().signal);
  expect(pages * 4_096).toBeGreaterThan(20 * 1_048_576);
  // And a few more, in which SQLite had noted where those pages belonged.
  expect(before - (await size())).toBeGreaterThanOrEqual(pages * 4_096);
  const { rows } = await sql`SELECT id, length(content) AS bytes FROM large ORDER BY id`.execute(store.db);
  expect(rows).toEqual([
    { id: 0, bytes: 1_048_576 },
    { id: 12, bytes: 1_048_576 },
  ]);
  const { rows: problems } = await sql`PRAGMA integrity_check`.execute(store.db);
  expect(problems).toEqual([{ integrity_check: 'ok' }]);
});

test('room that is soon used again is kept', async () => {
  const { store, size } = await filledStore(6);
  await sql`DELETE FROM large WHERE id > 0`.execute(store.db);
  const before = await size();
  expect(await giveBackFreePages(store, new AbortController().signal)).toBe(0);
  expect(await size()).toBe(before);
});

test('it stops in the middle when told to, and goes on another time', async () => {
  const { store } = await filledStore(24);
  await sql`DELETE FROM large`.execute(store.db);
  const stop = new AbortController();
  const giving = giveBackFreePages(store, stop.signal);
  stop.abort();
  const first = await giving;
  expect(first).toBeLessThan(3_000);
  expect(await giveBackFreePages(store, new AbortController().signal)).toBeGreaterThan(2_000);
});
