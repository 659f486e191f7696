import { parseTime } from '@postern/kit';
import type { Engine } from '@postern/store';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isOneOf } from '../../engine/sql.ts';
import { canonicalPart } from '../../subscribers/search.ts';
import type { Comparison, Condition, Operator, Scalar } from '../condition.ts';
import { fieldOf } from '../fields.ts';
import { attributeTest } from './attributes.ts';
import { campaignTest } from './campaigns.ts';
import { type Bounds, withinBounds } from './times.ts';

export type Test = RawBuilder<SqlBool>;

/**
 * A condition as SQL over a row of `mail_subscribers`. All that comes from the user is a parameter, no value can make
 * it fail, and it is true or false for every row, never unknown, so that `not` is what it says.
 *
 * @param nowUs what `within_days` counts back from.
 */
export function segmentCondition(engine: Engine, condition: Condition, nowUs: number): Test {
  if ('all' in condition) return joined(engine, condition.all, nowUs, sql` AND `);
  if ('any' in condition) return joined(engine, condition.any, nowUs, sql` OR `);
  if ('not' in condition) return sql<SqlBool>`(NOT ${segmentCondition(engine, condition.not, nowUs)})`;
  return comparisonTest(engine, condition, nowUs);
}

function joined(engine: Engine, parts: readonly Condition[], nowUs: number, glue: RawBuilder<unknown>): Test {
  return sql<SqlBool>`(${sql.join(
    parts.map((part) => segmentCondition(engine, part, nowUs)),
    glue,
  )})`;
}

function comparisonTest(engine: Engine, { field: name, op, value }: Comparison, nowUs: number): Test {
  const field = fieldOf(name);
  if (field === null) throw new Error(`a stored condition asks for the field ${name}`);
  if (op === 'ne')
    return sql<SqlBool>`(NOT ${comparisonTest(engine, { field: name, op: 'eq', value }, nowUs)})`;
  if (op === 'exists' && value === false) {
    return sql<SqlBool>`(NOT ${comparisonTest(engine, { field: name, op, value: true }, nowUs)})`;
  }
  switch (field.kind) {
    case 'email':
      return textTest(engine, 'mail_subscribers.email_key', op, texts(value).map(canonicalPart));
    case 'name':
      return textTest(engine, 'mail_subscribers.name', op, texts(value));
    case 'status':
      return textTest(engine, 'mail_subscribers.status', op, texts(value));
    case 'created_at':
      return withinBounds(sql.ref('mail_subscribers.created_us'), boundsOf(op, value, nowUs));
    case 'attribute':
      return attributeTest(engine, field.key, op, value, () => boundsOf(op, value, nowUs));
    case 'campaign': {
      if (op === 'eq' && value === false) {
        return sql<SqlBool>`(NOT ${campaignTest(field, {})})`;
      }
      return campaignTest(field, op === 'eq' || op === 'exists' ? {} : boundsOf(op, value, nowUs));
    }
  }
}

/** A column that may be null, compared with texts. */
function textTest(engine: Engine, name: string, op: Operator, values: readonly string[]): Test {
  const column = sql.ref(name);
  const [value = ''] = values;
  switch (op) {
    case 'eq':
      return sql<SqlBool>`COALESCE(${column} = ${value}, FALSE)`;
    case 'in':
      return sql<SqlBool>`COALESCE(${isOneOf(engine, name, values)}, FALSE)`;
    case 'contains':
      return engine === 'postgres'
        ? sql<SqlBool>`COALESCE(strpos(${column}, CAST(${value} AS text)) > 0, FALSE)`
        : sql<SqlBool>`COALESCE(instr(${column}, ${value}) > 0, FALSE)`;
    case 'starts_with':
      return sql<SqlBool>`COALESCE(substr(${column}, 1, length(CAST(${value} AS text))) = ${value}, FALSE)`;
    case 'exists':
      return sql<SqlBool>`(${column} IS NOT NULL)`;
    default:
      throw new Error(`a stored condition asks for ${op} of a text`);
  }
}

/** The bounds of a comparison with a moment, in microseconds. */
function boundsOf(op: Operator, value: Comparison['value'], nowUs: number): Bounds {
  if (op === 'within_days') {
    return { atLeast: nowUs - Number(value) * 86_400_000_000, atMost: nowUs };
  }
  const moment = parseTime(String(value));
  if (moment === null) throw new Error('a stored condition has no time to compare with');
  switch (op) {
    case 'after':
    case 'gt':
      return { above: moment };
    case 'gte':
      return { atLeast: moment };
    case 'before':
    case 'lt':
      return { below: moment };
    case 'lte':
      return { atMost: moment };
    default:
      throw new Error(`a stored condition asks for ${op} of a time`);
  }
}

function texts(value: Comparison['value']): string[] {
  const values: readonly (Scalar | undefined)[] = typeof value === 'object' ? value : [value];
  return values.map((one) => (typeof one === 'string' ? one : ''));
}
