import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  connectStore,
  DatabaseTooNewError,
  type Migration,
  migrate,
  type Store,
  storeMigrations,
} from '../src/index.ts';
import { describeEngines, freshPlace, freshStore, schemaText } from '../src/testing/index.ts';
import { startChild } from './children.ts';

const parents: Migration = {
  name: 'test_0001_parents',
  async up(db) {
    await sql`CREATE TABLE parents (id bigint PRIMARY KEY)`.execute(db);
    await sql`CREATE TABLE children (parent_id bigint NOT NULL REFERENCES parents (id) ON DELETE CASCADE)`.execute(
      db,
    );
    await db.insertInto('parents').values({ id: 1 }).execute();
    await db.insertInto('children').values({ parent_id: 1 }).execute();
  },
};

describeEngines('migrations', (engine) => {
  async function empty(): Promise<Store<Record<string, Record<string, unknown>>>> {
    return connectStore({ ...(await freshPlace(engine)), clock: systemClock });
  }

  test('run once each, in the order of the list', async () => {
    const store = await empty();
    const names = storeMigrations.map((migration) => migration.name);
    expect(await migrate(store, storeMigrations)).toEqual(names);
    expect(await migrate(store, [...storeMigrations, parents])).toEqual(['test_0001_parents']);
    expect(await migrate(store, [...storeMigrations, parents])).toEqual([]);
    await store.close();
  });

  test('lead to the same schema step by step as at once', async () => {
    const stepwise = await empty();
    for (let count = 1; count <= storeMigrations.length; count += 1) {
      await migrate(stepwise, storeMigrations.slice(0, count));
    }
    const { store } = await freshStore(engine);
    const schema = await schemaText(store);
    expect(schema.length).toBeGreaterThan(10);
    expect(await schemaText(stepwise)).toEqual(schema);
    await stepwise.close();
  });

  test('of a newer version are refused, and nothing is changed', async () => {
    const store = await empty();
    await migrate(store, [...storeMigrations, parents]);
    const before = await schemaText(store);
    const next: Migration = { name: 'other_0001_next', up: async () => undefined };
    const older = migrate(store, [...storeMigrations, next]);
    await expect(older).rejects.toThrow(DatabaseTooNewError);
    await expect(older).rejects.toThrow(/newer version \(it has test_0001_parents, .*\)/);
    expect(await schemaText(store)).toEqual(before);
    await expect(migrate(store, [...storeMigrations, parents])).resolves.toEqual([]);
    await store.close();
  });

  test('that fail leave nothing behind', async () => {
    const store = await empty();
    const failing: Migration = {
      name: 'test_0001_failing',
      async up(db) {
        await sql`CREATE TABLE half (id bigint)`.execute(db);
        throw new Error('half way');
      },
    };
    await expect(migrate(store, [...storeMigrations, failing])).rejects.toThrow('half way');
    expect((await schemaText(store)).join()).not.toContain('half');
    expect(await migrate(store, [...storeMigrations, parents])).toEqual(['test_0001_parents']);
    await store.close();
  });

  test('may make a table anew that others refer to', async () => {
    const store = await empty();
    await migrate(store, [parents]);
    const rebuild: Migration = {
      name: 'test_0002_rebuild',
      async up(db) {
        if (engine === 'postgres') return;
        await sql`CREATE TABLE parents_new (id bigint PRIMARY KEY, extra bigint)`.execute(db);
        await sql`INSERT INTO parents_new (id) SELECT id FROM parents`.execute(db);
        await sql`DROP TABLE parents`.execute(db);
        await sql`ALTER TABLE parents_new RENAME TO parents`.execute(db);
      },
    };
    await migrate(store, [parents, rebuild]);
    expect(await store.db.selectFrom('children').selectAll().execute()).toHaveLength(1);
    await store.db.deleteFrom('parents').execute();
    expect(await store.db.selectFrom('children').selectAll().execute()).toHaveLength(0);
    await store.close();
  });

  test('are refused when a list is out of order or a name is not one', async () => {
    const store = await empty();
    const named = (name: string): Migration => ({ name, up: async () => undefined });
    await expect(migrate(store, [named('a_0002_x'), named('a_0001_x')])).rejects.toThrow('out of order');
    await expect(migrate(store, [named('a_0001_x'), named('a_0001_y')])).rejects.toThrow('out of order');
    await expect(migrate(store, [named('first')])).rejects.toThrow('not a migration');
    await store.close();
  });

  test('run once when several processes start at the same time', async () => {
    const place = await freshPlace(engine);
    const children = [1, 2, 3].map(() => startChild('child-migrate.ts', place));
    const ran = (await Promise.all(children.map((child) => child.line()))).map((line) => JSON.parse(line));
    for (const child of children) expect(await child.ended()).toEqual({ code: 0, stderr: '' });
    expect(ran.flat().sort()).toEqual(storeMigrations.map((migration) => migration.name).sort());
  });
});
