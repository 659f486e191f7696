import { boundSql, type Engine } from '@postern/store';
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

/** Columns of a table made from values, by name; keep it, as SQL is kept with it. */
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
  const rows = 2 ** Math.ceil(Math.log2(Math.max(FEWEST_ROWS, records.length)));
  const values: (string | number | null)[] = new Array(rows * names.length).fill(null);
  let at = 0;
  for (const record of records) for (const [name] of names) values[at++] = record[name] ?? null;
  return sql`${boundSql(valuesText(alias, columns, rows), values)}`;
}

/** Numbers of rows are powers of two from here on, filled up with rows of nulls, so that few statements are prepared. */
const FEWEST_ROWS = 4;

const texts = new WeakMap<RecordColumns, Map<string, string>>();

/** Parameters cost SQLite a fifth of what taking the same values out of JSON does. */
function valuesText(alias: string, columns: RecordColumns, rows: number): string {
  const known = texts.get(columns) ?? new Map<string, string>();
  texts.set(columns, known);
  const key = `${alias} ${rows}`;
  let text = known.get(key);
  if (text === undefined) {
    const names = Object.keys(columns);
    const named = names.map((name, at) => `column${at + 1} AS "${name}"`).join(', ');
    const row = `(${names.map(() => '?').join(', ')})`;
    const values = new Array(rows).fill(row).join(', ');
    text = `(SELECT ${named} FROM (VALUES ${values}) WHERE column1 IS NOT NULL) AS "${alias}"`;
    known.set(key, text);
  }
  return text;
}
