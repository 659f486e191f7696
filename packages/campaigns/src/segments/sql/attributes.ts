import type { Engine } from '@postern/store';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Comparison, Operator, Scalar } from '../condition.ts';
import { type Bounds, textWithinBounds } from './times.ts';

/**
 * Tests of one attribute. JSON knows types, and so do comparisons: the text "5" is not the number 5, and a value of
 * another type than the one it is compared with is as good as none.
 */

/** How an engine reads a value out of the JSON, once it is known to be there. */
interface Reader {
  readonly isText: RawBuilder<unknown>;
  readonly text: RawBuilder<unknown>;
  readonly isNumber: RawBuilder<unknown>;
  readonly number: RawBuilder<unknown>;
  isBoolean(value: boolean): RawBuilder<unknown>;
  /** Whether it is a list with this text in it. */
  hasItem(text: string): RawBuilder<unknown>;
}

const SQLITE: Reader = {
  isText: sql`found.type = 'text'`,
  text: sql`found.value`,
  isNumber: sql`found.type IN ('integer', 'real')`,
  number: sql`found.value`,
  isBoolean: (value) => sql`found.type = ${sql.lit(String(value))}`,
  hasItem: (text) => sql`(found.type = 'array' AND EXISTS (
    SELECT 1 FROM json_each(CASE WHEN found.type = 'array' THEN found.value ELSE '[]' END) AS item
    WHERE item.type = 'text' AND item.value = ${text}))`,
};

const POSTGRES: Reader = {
  isText: sql`jsonb_typeof(found.value) = 'string'`,
  text: sql`((found.value #>> '{}') COLLATE "C")`,
  isNumber: sql`jsonb_typeof(found.value) = 'number'`,
  // A cast in a branch that is not taken is not made.
  number: sql`(CASE WHEN jsonb_typeof(found.value) = 'number'
    THEN CAST(found.value #>> '{}' AS double precision) ELSE 0 END)`,
  isBoolean: (value) => sql`found.value = CAST(${sql.lit(String(value))} AS jsonb)`,
  hasItem: (text) => sql`(jsonb_typeof(found.value) = 'array' AND jsonb_exists(found.value, ${text}))`,
};

/** @param bounds of a comparison with a moment; asked only for those. */
export function attributeTest(
  engine: Engine,
  key: string,
  op: Operator,
  value: Comparison['value'],
  bounds: () => Bounds,
): RawBuilder<SqlBool> {
  const test = valueTest(engine, op, value, bounds);
  return engine === 'postgres'
    ? sql<SqlBool>`EXISTS (SELECT 1 FROM (
        SELECT CAST(mail_subscribers.attributes_json AS jsonb) -> CAST(${key} AS text) AS value) AS found
        WHERE found.value IS NOT NULL AND ${test})`
    : sql<SqlBool>`EXISTS (SELECT 1 FROM json_each(mail_subscribers.attributes_json) AS found
        WHERE found.key = ${key} AND ${test})`;
}

function valueTest(
  engine: Engine,
  op: Operator,
  value: Comparison['value'],
  bounds: () => Bounds,
): RawBuilder<unknown> {
  const reader = engine === 'postgres' ? POSTGRES : SQLITE;
  switch (op) {
    case 'exists':
      return sql`TRUE`;
    case 'eq':
      return isEqual(engine, reader, [value as Scalar]);
    case 'in':
      return isEqual(engine, reader, value as readonly Scalar[]);
    case 'contains':
      return contains(engine, reader, String(value));
    case 'starts_with':
      return sql`(${reader.isText} AND substr(${reader.text}, 1, length(CAST(${String(value)} AS text))) = ${String(value)})`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(reader, ORDERS[op], value as string | number);
    case 'before':
    case 'after':
    case 'within_days':
      return sql`(${reader.isText} AND ${textWithinBounds(engine, reader.text, bounds())})`;
    default:
      throw new Error(`a stored condition asks for ${op} of an attribute`);
  }
}

const ORDERS = { gt: sql.raw('>'), gte: sql.raw('>='), lt: sql.raw('<'), lte: sql.raw('<=') } as const;

function isOrdered(reader: Reader, order: RawBuilder<unknown>, value: string | number): RawBuilder<unknown> {
  return typeof value === 'number'
    ? sql`(${reader.isNumber} AND ${reader.number} ${order} ${numberParameter(value)})`
    : sql`(${reader.isText} AND ${reader.text} ${order} CAST(${value} AS text))`;
}

function isEqual(engine: Engine, reader: Reader, values: readonly Scalar[]): RawBuilder<unknown> {
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  const tests: RawBuilder<unknown>[] = [];
  if (texts.length > 0)
    tests.push(sql`(${reader.isText} AND ${isAmong(engine, reader.text, texts, 'text')})`);
  if (numbers.length > 0) {
    tests.push(sql`(${reader.isNumber} AND ${isAmong(engine, reader.number, numbers, 'double precision')})`);
  }
  for (const value of [true, false]) if (values.includes(value)) tests.push(reader.isBoolean(value));
  return sql`(${sql.join(tests, sql` OR `)})`;
}

function isAmong(
  engine: Engine,
  what: RawBuilder<unknown>,
  values: readonly (string | number)[],
  type: 'text' | 'double precision',
): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`${what} = ANY(CAST(${[...values]} AS ${sql.raw(type)}[]))`
    : sql`${what} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

function contains(engine: Engine, reader: Reader, text: string): RawBuilder<unknown> {
  const found =
    engine === 'postgres'
      ? sql`strpos(${reader.text}, CAST(${text} AS text)) > 0`
      : sql`instr(${reader.text}, ${text}) > 0`;
  return sql`((${reader.isText} AND ${found}) OR ${reader.hasItem(text)})`;
}

function numberParameter(value: number): RawBuilder<unknown> {
  return sql`CAST(${value} AS double precision)`;
}
