import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore } from '../testing/index.ts';
import { boundSql } from './query-compiler.ts';

test('bound SQL keeps its values in their place among others', async () => {
  const { store } = await freshStore('sqlite');
  const rows = boundSql('(VALUES (?, ?), (?, ?))', ['b', 2, null, 3]);
  const found = await sql<{ given: string; column1: string | null; column2: number; last: number }>`
    SELECT ${'a'} AS given, column1, column2, ${4} AS last FROM ${rows} WHERE column2 < ${10}`.execute(
    store.db,
  );
  expect(found.rows.map((row) => ({ ...row }))).toEqual([
    { given: 'a', column1: 'b', column2: 2, last: 4 },
    { given: 'a', column1: null, column2: 3, last: 4 },
  ]);
});
