import type { Engine } from '@postern/store';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * `column` is one of the texts. One statement whatever their number, so that it is prepared once: lists of changing
 * length would push everything else out of the statement cache.
 */
export function isOneOf(engine: Engine, column: string, values: readonly string[]): RawBuilder<SqlBool> {
  return engine === 'postgres'
    ? sql<SqlBool>`${sql.ref(column)} = ANY(CAST(${[...values]} AS text[]))`
    : sql<SqlBool>`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** Columns of a table made from JSON, by name. */
export type RecordColumns = Readonly<Record<string, 'text' | 'bigint'>>;

/** A table of many values, as the source of an INSERT or the FROM of an UPDATE. */
export function recordsTable(
  engine: Engine,
  alias: string,
  columns: RecordColumns,
  records: readonly Readonly<Record<string, string | number | null>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(records);
  const names = Object.entries(columns);
  if (engine === 'postgres') {
    const typed = sql.join(names.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
    return sql`jsonb_to_recordset(CAST(${json} AS jsonb)) AS ${sql.ref(alias)} (${typed})`;
  }
  const extracted = sql.join(
    names.map(([name]) => sql`value ->> ${sql.lit(`$.${name}`)} AS ${sql.ref(name)}`),
  );
  return sql`(SELECT ${extracted} FROM json_each(${json})) AS ${sql.ref(alias)}`;
}
