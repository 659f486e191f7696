import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connectStore } from '../src/index.ts';
import { freshPlace, freshStore } from '../src/testing/index.ts';

test('a connection that is lost between two statements fails its transaction, and nothing else', async () => {
  const { store, again } = await freshStore('postgres');
  const other = await again();
  const lost = store.transaction(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    await sql`SELECT pg_terminate_backend(${rows[0]!.pid})`.execute(other.db);
    // Long enough for the loss to be noticed while no statement waits for an answer.
    await systemClock.sleep(50);
    await sql`SELECT 1`.execute(tx);
  });
  await expect(lost).rejects.toThrow();
  expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(store.db)).rows).toEqual([{ one: 1 }]);
});

test('an SQLite store closes while another connection writes', async () => {
  const place = await freshPlace('sqlite');
  if (!('file' in place)) throw new Error('SQLite is a file');
  const store = await connectStore({ ...place, clock: systemClock });
  await sql`CREATE TABLE things (word text)`.execute(store.db);
  await sql`CREATE INDEX things_word ON things (word)`.execute(store.db);
  for (let index = 0; index < 300; index += 1) {
    await sql`INSERT INTO things VALUES (${`word ${index}`})`.execute(store.db);
  }
  const other = new DatabaseSync(place.file);
  other.exec('BEGIN IMMEDIATE; DELETE FROM things');
  await store.close();
  other.exec('ROLLBACK');
  expect(other.prepare('SELECT count(*) AS total FROM things').get()).toEqual({ total: 300 });
  other.close();
});
