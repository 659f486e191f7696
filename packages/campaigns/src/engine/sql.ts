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

/**
 * A table of many values, as the source of an INSERT or the FROM of an UPDATE; none of the first column is null. On
 * SQLite at most 1,000 records of 30 columns, as a statement has 32,766 parameters.
 */
export function recordsTable(
  engine: Engine,
  alias: string,
  columns: RecordColumns,
  records: readonly Readonly<Record<string, string | number | null>>[],
): RawBuilder<unknown> {
  const names = Object.entries(columns);
  if (engine === 'postgres') {
    const json = JSON.stringify(records);
    const typed = sql.join(names.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
    return sql`jsonb_to_recordset(CAST(${json} AS jsonb)) AS ${sql.ref(alias)} (${typed})`;
  }
  const named = sql.join(names.map(([name], at) => sql`${sql.ref(`column${at + 1}`)} AS ${sql.ref(name)}`));
  return sql`(SELECT ${named} FROM (${valueRows(Object.keys(columns), records)}) WHERE column1 IS NOT NULL) AS ${sql.ref(alias)}`;
}

/** Numbers of rows are powers of two from here on, filled up with rows of nulls, so that few statements are prepared. */
const FEWEST_ROWS = 4;

/** Parameters cost SQLite a fifth of what taking the same values out of JSON does. */
function valueRows(
  names: readonly string[],
  records: readonly Readonly<Record<string, string | number | null>>[],
): RawBuilder<unknown> {
  const rows = 2 ** Math.ceil(Math.log2(Math.max(FEWEST_ROWS, records.length)));
  const values: (string | number | null)[] = [];
  const fragments: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const record = records[row];
    names.forEach((name, at) => {
      values.push(record?.[name] ?? null);
      fragments.push(at > 0 ? ', ' : row === 0 ? 'VALUES (' : '), (');
    });
  }
  fragments.push(')');
  return sql(fragments as unknown as TemplateStringsArray, ...values);
}
