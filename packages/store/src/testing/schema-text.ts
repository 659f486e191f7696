import { type Kysely, sql } from 'kysely';
import type { Store } from '../store.ts';

/** The whole schema as lines, in an order of its own, so that two databases can be compared. */
export async function schemaText<DB>(store: Store<DB>): Promise<string[]> {
  const db = store.db as unknown as Kysely<unknown>;
  const query =
    store.engine === 'sqlite'
      ? // What the planner notes for itself is there or not, as the last connection left it.
        sql<{ line: string }>`
          SELECT type || ' ' || name || ': ' || coalesce(sql, '') AS line
            FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'`
      : sql<{ line: string }>`
          SELECT 'column ' || table_name || '.' || column_name || ' ' || ordinal_position || ' ' || data_type || ' '
            || coalesce(collation_name, '') || ' ' || is_nullable || ' ' || coalesce(column_default, '') || ' ' || is_identity AS line
            FROM information_schema.columns WHERE table_schema = 'public'
          UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
          UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
            FROM pg_constraint WHERE connamespace = 'public'::regnamespace`;
  const { rows } = await query.execute(db);
  return rows.map((row) => row.line).sort();
}
