import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connectStore, type Migration, type Store } from '../src/index.ts';
import { freshStore } from '../src/testing/index.ts';

interface Tables {
  words: { word: string };
}

const migrations: readonly Migration[] = [
  {
    name: 'test_0001_words',
    async up(db) {
      await sql`CREATE TABLE words (word text PRIMARY KEY)`.execute(db);
    },
  },
];

async function start() {
  const { store, place } = await freshStore<Tables>('sqlite', { migrations });
  if (!('file' in place)) throw new Error('this engine has one writer at a time');
  // As another connection that is in the middle of writing.
  const writer = new DatabaseSync(place.file);
  writer.exec('BEGIN IMMEDIATE');
  onTestFinished(() => writer.close());
  const words = async () => {
    const rows = await store.db.selectFrom('words').select('word').orderBy('word').execute();
    return rows.map((row) => row.word);
  };
  return { store, place, writer, words };
}

const add = (store: Store<Tables>, word: string) =>
  store.transaction(async (tx) => {
    await tx.insertInto('words').values({ word }).execute();
  });

test('reads pass by a transaction and a statement that wait for another writer', async () => {
  const { store, writer, words } = await start();
  const waiting = [add(store, 'a'), store.db.insertInto('words').values({ word: 'b' }).execute()];
  for (let turn = 0; turn < 20; turn += 1) expect(await words()).toEqual([]);
  writer.exec('COMMIT');
  await Promise.all(waiting);
  expect(await words()).toEqual(['a', 'b']);
});

test('closing waits for a transaction that waits for another writer', async () => {
  const { store, place, writer } = await start();
  const adding = add(store, 'a');
  // It has found the file locked once it has let a read pass.
  await store.db.selectFrom('words').selectAll().execute();
  const closing = store.close();
  await expect(store.db.selectFrom('words').selectAll().execute()).rejects.toThrow('closed');
  writer.exec('COMMIT');
  await Promise.all([adding, closing]);
  const left = new DatabaseSync(place.file, { readOnly: true });
  onTestFinished(() => left.close());
  expect(left.prepare('SELECT word FROM words').all()).toEqual([{ word: 'a' }]);
});

test("a thread's store that found the file locked first lets that of its process write first", async () => {
  const { store, place, writer, words } = await start();
  const guest = await connectStore<Tables>({ ...place, shared: store.shared, clock: systemClock });
  onTestFinished(() => guest.close());
  const order: string[] = [];
  const threads = Array.from({ length: 5 }, (_, at) =>
    add(guest, `guest ${at}`).then(() => order.push('guest')),
  );
  // They have found the file locked once a read was let pass.
  await guest.db.selectFrom('words').selectAll().execute();
  const host = add(store, 'host').then(() => order.push('host'));
  await words();
  writer.exec('COMMIT');
  await Promise.all([host, ...threads]);
  expect(order).toEqual(['host', ...threads.map(() => 'guest')]);
});

test("a thread's store lets that of its process write first", async () => {
  const { store, place, writer, words } = await start();
  const guest = await connectStore<Tables>({ ...place, shared: store.shared, clock: systemClock });
  onTestFinished(() => guest.close());
  const order: string[] = [];
  const host = add(store, 'host').then(() => order.push('host'));
  // It has found the file locked once it has let a read pass.
  await words();
  const thread = add(guest, 'guest').then(() => order.push('guest'));
  writer.exec('COMMIT');
  await Promise.all([host, thread]);
  expect(order).toEqual(['host', 'guest']);
  await add(guest, 'more');
  expect(await words()).toEqual(['guest', 'host', 'more']);
});
