import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { forUpdate } from './locking.ts';
import type { Migration } from './migrate.ts';
import { describeEngines, freshStore } from './testing/index.ts';

interface Tables {
  counters: { name: string; value: number };
}

const migrations: readonly Migration[] = [
  {
    name: 'test_0001_counters',
    async up(db, engine) {
      const text = engine === 'postgres' ? sql`text COLLATE "C"` : sql`text`;
      await sql`CREATE TABLE counters (name ${text} PRIMARY KEY, value bigint NOT NULL)`.execute(db);
      await sql`INSERT INTO counters VALUES ('a', 0)`.execute(db);
    },
  },
];

describeEngines('a store', (engine) => {
  const fresh = (limits = {}) => freshStore<Tables>(engine, { migrations, limits });

  test('keeps what a transaction did when it resolves, and nothing when it rejects', async () => {
    const { store } = await fresh();
    await store.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'b', value: 1 }).execute();
    });
    const refused = store.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'c', value: 1 }).execute();
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    const names = await store.db.selectFrom('counters').select('name').orderBy('name').execute();
    expect(names.map((row) => row.name)).toEqual(['a', 'b']);
  });

  test('loses no update of many transactions at once that lock what they read', async () => {
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
});
