import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  columns,
  connectStore,
  forUpdate,
  type Migration,
  StoreBusyError,
  serialise,
  TransactionDeadlineError,
  TransactionMisuseError,
} from '../src/index.ts';
import { describeEngines, freshPlace, freshStore } from '../src/testing/index.ts';

interface Tables {
  counters: { name: string; value: number };
  things: { id?: number; word: string | null; amount: number | null; bytes: Uint8Array | null };
}

const migrations: readonly Migration[] = [
  {
    name: 'test_0001_counters',
    async up(db, engine) {
      const { text, integer, real, bytes, serialKey } = columns(engine);
      await sql`CREATE TABLE counters (name ${text} PRIMARY KEY, value ${integer} NOT NULL)`.execute(db);
      await sql`CREATE TABLE things (id ${serialKey}, word ${text}, amount ${real}, bytes ${bytes})`.execute(
        db,
      );
      await db.insertInto('counters').values({ name: 'a', value: 0 }).execute();
    },
  },
];

/** A promise that a test settles when it likes. */
function gate() {
  return Promise.withResolvers<void>();
}

describeEngines('a store', (engine) => {
  const fresh = (limits = {}) => freshStore<Tables>(engine, { migrations, limits });

  test('keeps what a transaction did when it resolves, and nothing when it rejects', async () => {
    const { store } = await fresh();
    const result = await store.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'b', value: 1 }).execute();
      return 'made';
    });
    expect(result).toBe('made');
    const refused = store.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'c', value: 1 }).execute();
      throw new Error('changed my mind');
    });
    await expect(refused).rejects.toThrow('changed my mind');
    const names = await store.db.selectFrom('counters').select('name').orderBy('name').execute();
    expect(names.map((row) => row.name)).toEqual(['a', 'b']);
  });

  test('loses no update of many transactions that lock what they read', async () => {
    const { store, again } = await fresh();
    const other = await again();
    const increments = Array.from({ length: 50 }, (_, turn) =>
      (turn % 2 ? store : other).transaction(async (tx) => {
        const query = tx.selectFrom('counters').select('value').where('name', '=', 'a');
        const { value } = await forUpdate(tx, query).executeTakeFirstOrThrow();
        await tx
          .updateTable('counters')
          .set({ value: value + 1 })
          .where('name', '=', 'a')
          .execute();
      }),
    );
    await Promise.all(increments);
    const { value } = await store.db.selectFrom('counters').select('value').executeTakeFirstOrThrow();
    expect(value).toBe(50);
  });

  test('loses no update of many transactions that pass one by one', async () => {
    const { store } = await fresh();
    const inserts = Array.from({ length: 50 }, () =>
      store.transaction(async (tx) => {
        await serialise(tx, 'next counter');
        const { count } = await tx
          .selectFrom('counters')
          .select((build) => build.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        await tx
          .insertInto('counters')
          .values({ name: `counter ${count}`, value: count })
          .execute();
      }),
    );
    await Promise.all(inserts);
    const values = await store.db.selectFrom('counters').select('value').where('value', '>', 0).execute();
    expect(values.map((row) => row.value).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test('runs a serialisable transaction again when it collides with another', async () => {
    const { store } = await fresh();
    // Both read before either writes; on SQLite the second one waits for the first instead.
    const meeting = engine === 'postgres' ? gate() : undefined;
    let readers = 0;
    let runs = 0;
    const increment = () =>
      store.transaction(
        async (tx) => {
          runs += 1;
          const { value } = await tx.selectFrom('counters').select('value').executeTakeFirstOrThrow();
          readers += 1;
          if (readers >= 2) meeting?.resolve();
          await meeting?.promise;
          await tx
            .updateTable('counters')
            .set({ value: value + 1 })
            .execute();
        },
        { isolation: 'serializable' },
      );
    await Promise.all([increment(), increment()]);
    const { value } = await store.db.selectFrom('counters').select('value').executeTakeFirstOrThrow();
    expect(value).toBe(2);
    expect(runs).toBe(engine === 'postgres' ? 3 : 2);
  });

  test('refuses itself inside of its own transaction, instead of waiting for ever', async () => {
    const { store } = await fresh();
    const reading = store.transaction(async () => store.db.selectFrom('counters').selectAll().execute());
    await expect(reading).rejects.toThrow(TransactionMisuseError);
    await expect(reading).rejects.toThrow('store.db was used inside a transaction');
    const nesting = store.transaction(() => store.transaction(async () => undefined));
    await expect(nesting).rejects.toThrow('store.transaction was used inside a transaction');
    expect(await store.db.selectFrom('counters').select('name').execute()).toHaveLength(1);
  });

  test('lets what a transaction started and forgot use the store once it is over', async () => {
    const { store } = await fresh();
    const over = gate();
    const forgotten = await store.transaction(async () => {
      const later = over.promise.then(() => store.db.selectFrom('counters').select('name').execute());
      return { later };
    });
    over.resolve();
    expect(await forgotten.later).toHaveLength(1);
  });

  test('rolls a transaction back that hangs, and goes on', async () => {
    const { store } = await fresh({ transactionMs: 50 });
    const never = gate();
    let leaked: (() => Promise<unknown>) | undefined;
    const hanging = store.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'b', value: 1 }).execute();
      leaked = () => tx.selectFrom('counters').selectAll().execute();
      await never.promise;
    });
    await expect(hanging).rejects.toThrow(TransactionDeadlineError);
    expect(await store.db.selectFrom('counters').select('name').execute()).toHaveLength(1);
    await expect(leaked?.()).rejects.toThrow();
    never.resolve();
  });

  test('lets nobody wait longer than the deadline, nor too many wait', async () => {
    const { store } = await fresh({ waitMs: 100, maxWaiting: 2, poolSize: 1 });
    const holding = gate();
    const held = gate();
    const holder = store.transaction(async () => {
      held.resolve();
      await holding.promise;
    });
    await held.promise;
    const attempts = [1, 2, 3].map(() => store.db.selectFrom('counters').selectAll().execute());
    const outcomes = await Promise.allSettled(attempts);
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StoreBusyError);
    }
    expect(String(outcomes[2]?.status === 'rejected' && outcomes[2].reason)).toContain(
      '2 wait for it already',
    );
    holding.resolve();
    await holder;
    expect(await store.db.selectFrom('counters').select('name').execute()).toHaveLength(1);
  });

  test('goes on after a statement that failed', async () => {
    const { store } = await fresh();
    const twice = store.db.insertInto('counters').values({ name: 'a', value: 1 }).execute();
    await expect(twice).rejects.toThrow(/unique/i);
    const inside = store.transaction((tx) =>
      tx.insertInto('counters').values({ name: 'a', value: 1 }).execute(),
    );
    await expect(inside).rejects.toThrow(/unique/i);
    expect(await store.db.selectFrom('counters').select('name').execute()).toHaveLength(1);
  });

  test('gives values back as they were put in', async () => {
    const { store } = await fresh();
    const values = { word: 'ein Wort 🪿 e\u0301', amount: 0.1, bytes: new Uint8Array([0, 1, 255]) };
    await store.db.insertInto('things').values(values).execute();
    const nothing = { word: null, amount: null, bytes: null };
    await store.db.insertInto('things').values(nothing).execute();
    const [first, second] = await store.db.selectFrom('things').selectAll().orderBy('id').execute();
    expect({ ...first, bytes: Uint8Array.from(first?.bytes ?? []) }).toEqual({ id: 1, ...values });
    expect(second).toEqual({ id: 2, ...nothing });
    const large = Number.MAX_SAFE_INTEGER;
    await store.db.updateTable('counters').set({ value: large }).execute();
    const sum = await store.db
      .selectFrom('counters')
      .select((build) => [build.fn.sum<number>('value').as('sum'), build.fn.countAll<number>().as('count')])
      .executeTakeFirst();
    expect(sum).toEqual({ sum: large, count: 1 });
  });

  test('binds whole numbers as integers', async () => {
    const { store } = await fresh();
    const query = sql<{
      text: string;
      half: number;
    }>`SELECT 'n' || CAST(${5} AS text) AS text, CAST(${7} AS bigint) / 2 AS half`;
    const { rows } = await query.execute(store.db);
    expect(rows[0]).toEqual({ text: 'n5', half: 3 });
  });

  test('compares text byte by byte', async () => {
    const { store } = await fresh();
    const words = ['a', 'B', 'ä', 'Z', '_', '0', 'z', 'aa', 'É', '😀', '～'];
    await store.db
      .insertInto('things')
      .values(words.map((word) => ({ word, amount: null, bytes: null })))
      .execute();
    const rows = await store.db.selectFrom('things').select('word').orderBy('word').execute();
    const bytewise = [...words].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(rows.map((row) => row.word)).toEqual(bytewise);
  });

  test('counts the rows it changed', async () => {
    const { store } = await fresh();
    const updated = await store.db.updateTable('counters').set({ value: 3 }).executeTakeFirstOrThrow();
    expect(updated.numUpdatedRows).toBe(1n);
    const none = await store.db.deleteFrom('counters').where('name', '=', 'x').executeTakeFirstOrThrow();
    expect(none.numDeletedRows).toBe(0n);
    const returned = await store.db.updateTable('counters').set({ value: 4 }).returning('value').execute();
    expect(returned).toEqual([{ value: 4 }]);
  });

  test('waits for what runs before it closes, and refuses afterwards', async () => {
    const { store, again } = await fresh();
    const other = await again();
    const begun = gate();
    const finish = gate();
    const running = store.transaction(async (tx) => {
      begun.resolve();
      await finish.promise;
      await tx.updateTable('counters').set({ value: 9 }).execute();
    });
    await begun.promise;
    const closing = store.close();
    finish.resolve();
    await Promise.all([running, closing, store.close()]);
    await expect(store.db.selectFrom('counters').selectAll().execute()).rejects.toThrow();
    expect(await other.db.selectFrom('counters').select('value').execute()).toEqual([{ value: 9 }]);
  });
});

test('a deadlock on PostgreSQL is untied by running one of the two again', async () => {
  const { store } = await freshStore<Tables>('postgres', { migrations });
  await store.db.insertInto('counters').values({ name: 'b', value: 0 }).execute();
  const both = gate();
  let holding = 0;
  let runs = 0;
  const increment = (first: string, second: string) =>
    store.transaction(async (tx) => {
      runs += 1;
      await sql`SET LOCAL deadlock_timeout = '10ms'`.execute(tx);
      const add = (name: string) =>
        tx
          .updateTable('counters')
          .set((build) => ({ value: build('value', '+', 1) }))
          .where('name', '=', name)
          .execute();
      await add(first);
      holding += 1;
      if (holding === 2) both.resolve();
      await both.promise;
      await add(second);
    });
  await Promise.all([increment('a', 'b'), increment('b', 'a')]);
  expect(await store.db.selectFrom('counters').select('value').execute()).toEqual([
    { value: 2 },
    { value: 2 },
  ]);
  expect(runs).toBe(3);
});

test('a long row of statements on SQLite lets others have a turn', async () => {
  const { store } = await freshStore<Tables>('sqlite', { migrations });
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  for (let count = 0; count < 100_000 && !hadTurn; count += 1) {
    await store.db.selectFrom('counters').selectAll().execute();
  }
  expect(hadTurn).toBe(true);
});

test('an SQLite file that another process is just making is waited for', async () => {
  const place = await freshPlace('sqlite');
  if (!('file' in place)) throw new Error('an SQLite place is a file');
  using other = new DatabaseSync(place.file);
  other.exec('BEGIN EXCLUSIVE');
  await expect(connectStore({ ...place, clock: systemClock, limits: { waitMs: 40 } })).rejects.toThrow(
    'another process kept the database locked',
  );
  const opening = connectStore({ ...place, clock: systemClock });
  await new Promise((resolve) => setImmediate(resolve));
  other.exec('COMMIT');
  await (await opening).close();
});

test('a database that cannot be used is named, without its password', async () => {
  const closed = connectStore({ clock: systemClock, url: 'postgres://postern:secret@127.0.0.1:1/postern' });
  const error: Error = await closed.then(
    () => Promise.reject(new Error('connected')),
    (reason) => reason,
  );
  expect(error.message).toContain("the database 127.0.0.1:1/postern can't be used");
  expect(error.message).toContain('ECONNREFUSED');
  expect(inspect(error)).not.toContain('secret');
  const wrong: Error = await connectStore({ clock: systemClock, url: 'post gres:secret' }).then(
    () => Promise.reject(new Error('connected')),
    (reason) => reason,
  );
  expect(wrong.message).toBe('the address of the database is not a URL');
  expect(inspect(wrong)).not.toContain('secret');
  const place = await freshPlace('sqlite');
  const file = 'file' in place ? place.file : '';
  await writeFile(file, 'this is no database, but long enough to be looked at as one'.repeat(50));
  await expect(connectStore({ clock: systemClock, file })).rejects.toThrow(
    `the database ${file} can't be used`,
  );
});

test('a store needs one place, not two and not none', async () => {
  await expect(connectStore({ clock: systemClock })).rejects.toThrow(TypeError);
  const both = connectStore({ clock: systemClock, file: 'x.sqlite', url: 'postgres://localhost/x' });
  await expect(both).rejects.toThrow(TypeError);
});
