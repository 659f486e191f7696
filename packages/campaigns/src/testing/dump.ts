import { type Kysely, sql } from 'kysely';
import type { CampaignsStore } from '../ports.ts';

/** What any request may change: when a key was last used, and how many requests it has left. */
const UNCOUNTED_TABLES = new Set(['token_buckets', 'schema_migrations', 'sqlite_sequence', 'settings']);

/** All rows of all tables, for a test that nothing was written. */
export async function dumpTables(store: CampaignsStore): Promise<Record<string, string[]>> {
  const db = store.db as unknown as Kysely<unknown>;
  const tables = (await store.db.introspection.getTables()).map(({ name }) => name);
  const dump: Record<string, string[]> = {};
  for (const table of tables.sort()) {
    if (UNCOUNTED_TABLES.has(table)) continue;
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(table)}`.execute(db);
    dump[table] = rows.map(({ last_used_us: _, ...row }) => JSON.stringify(row)).sort();
  }
  return dump;
}
