import { existsSync } from 'node:fs';
import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connectStore, migrate, type StoreTables, storeMigrations } from '../src/index.ts';

test('a database in memory is its own, and leaves no file', async () => {
  const one = await connectStore<StoreTables>({ file: ':memory:', clock: systemClock });
  const other = await connectStore<StoreTables>({ file: ':memory:', clock: systemClock });
  await migrate(one, storeMigrations);
  const tables = async (store: typeof one) =>
    (await sql`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(store.db)).rows.length;
  expect(await tables(one)).toBeGreaterThan(0);
  expect(await tables(other)).toBe(0);
  expect(existsSync(':memory:')).toBe(false);
  await one.close();
  await other.close();
});
