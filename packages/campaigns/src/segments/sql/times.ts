import type { Engine } from '@postern/store';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Moments in microseconds. */
export interface Bounds {
  readonly above?: number;
  readonly atLeast?: number;
  readonly below?: number;
  readonly atMost?: number;
}

const COMPARISONS = [
  ['above', sql.raw('>')],
  ['atLeast', sql.raw('>=')],
  ['below', sql.raw('<')],
  ['atMost', sql.raw('<=')],
] as const;

/** Whether a moment, which is never null, is within all of the bounds. */
export function withinBounds(moment: RawBuilder<unknown>, bounds: Bounds): RawBuilder<SqlBool> {
  const tests = COMPARISONS.flatMap(([name, comparison]) => {
    const bound = bounds[name];
    return bound === undefined ? [] : [sql`${moment} ${comparison} CAST(${bound} AS bigint)`];
  });
  return tests.length === 0 ? sql<SqlBool>`TRUE` : sql<SqlBool>`(${sql.join(tests, sql` AND `)})`;
}

/**
 * What an attribute must look like to be taken for a moment: a date, with or without a time of day to the minute or
 * finer, and with a time perhaps an offset. Without one it is UTC; fractions of seconds are cut.
 */
const MOMENT =
  '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
  '([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?)?$';

/**
 * Whether a text is a moment within the bounds. The engines' own readers of dates differ, and PostgreSQL's fails on
 * what is none; so texts are first looked at and then taken apart. A day that a month does not have counts on into
 * the next.
 *
 * @param text an expression that is a text, never null.
 */
export function textWithinBounds(
  engine: Engine,
  text: RawBuilder<unknown>,
  bounds: Bounds,
): RawBuilder<SqlBool> {
  const looksRight = engine === 'postgres' ? sql`${text} ~ ${sql.lit(MOMENT)}` : looksLikeMoment(text);
  return sql<SqlBool>`(CASE WHEN ${looksRight} THEN ${withinBounds(microseconds(text), bounds)} ELSE FALSE END)`;
}

function microseconds(text: RawBuilder<unknown>): RawBuilder<unknown> {
  const number = (from: number, length: number) =>
    sql`CAST(substr(${text}, ${sql.lit(from)}, ${sql.lit(length)}) AS bigint)`;
  const hasTime = sql`length(${text}) > 10`;
  const ofDay = sql`(CASE WHEN ${hasTime} THEN ${number(12, 2)} * 3600 + ${number(15, 2)} * 60
    + (CASE WHEN substr(${text}, 17, 1) = ':' THEN ${number(18, 2)} ELSE 0 END) ELSE 0 END)`;
  const fromEnd = (from: number, length: number) =>
    sql`substr(${text}, length(${text}) - ${sql.lit(from)}, ${sql.lit(length)})`;
  const offset = sql`(CASE WHEN length(${text}) > 16 AND ${fromEnd(5, 1)} IN ('+', '-')
    THEN (CASE WHEN ${fromEnd(5, 1)} = '-' THEN -1 ELSE 1 END)
      * (CAST(${fromEnd(4, 2)} AS bigint) * 3600 + CAST(${fromEnd(1, 2)} AS bigint) * 60) ELSE 0 END)`;
  return sql`((${daysOf(number(1, 4), number(6, 2), number(9, 2))} * 86400 + ${ofDay} - ${offset}) * 1000000)`;
}

/**
 * Days from 1970-01-01 by the Gregorian calendar, years counted from March. All numbers are positive, so that both
 * engines divide alike.
 */
function daysOf(
  year: RawBuilder<unknown>,
  month: RawBuilder<unknown>,
  day: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const shifted = sql`(${year} - (CASE WHEN ${month} <= 2 THEN 1 ELSE 0 END))`;
  const ofYear = sql`((153 * ((${month} + 9) % 12) + 2) / 5 + ${day} - 1)`;
  return sql`(${shifted} * 365 + ${shifted} / 4 - ${shifted} / 100 + ${shifted} / 400 + ${ofYear} - 719468)`;
}

/** {@link MOMENT} for SQLite, which has no regular expressions. */
function looksLikeMoment(text: RawBuilder<unknown>): RawBuilder<unknown> {
  const piece = (from: number, length?: number) =>
    length === undefined
      ? sql`substr(${text}, ${sql.lit(from)})`
      : sql`substr(${text}, ${sql.lit(from)}, ${sql.lit(length)})`;
  const like = (what: RawBuilder<unknown>, pattern: string) => sql`${what} GLOB ${sql.lit(pattern)}`;
  const between = (what: RawBuilder<unknown>, low: string, high: string) =>
    sql`${what} BETWEEN ${sql.lit(low)} AND ${sql.lit(high)}`;
  const digits = (what: RawBuilder<unknown>) => sql`(${what} <> '' AND ${what} NOT GLOB '*[^0-9]*')`;
  const zone = sql`(CASE WHEN ${like(text, '*Z')} THEN 1
    WHEN ${like(text, '*[+-][0-2][0-9]:[0-5][0-9]')} AND substr(${text}, length(${text}) - 4, 2) < '24' THEN 6 ELSE 0 END)`;
  /** Behind the minutes, without the offset: nothing, seconds, or seconds and a fraction. */
  const rest = sql`substr(${text}, 17, length(${text}) - 16 - ${zone})`;
  const isRest = sql`(${rest} = '' OR ${like(rest, ':[0-5][0-9]')}
    OR (${like(rest, ':[0-5][0-9].*')} AND ${digits(sql`substr(${rest}, 5)`)}))`;
  const isTime = sql`(${like(piece(11, 6), '[T ][0-2][0-9]:[0-5][0-9]')} AND ${piece(12, 2)} < '24'
    AND length(${text}) - ${zone} >= 16 AND ${isRest})`;
  return sql`(${like(piece(1, 10), '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]')} AND ${piece(1, 4)} <> '0000'
    AND ${between(piece(6, 2), '01', '12')} AND ${between(piece(9, 2), '01', '31')}
    AND (length(${text}) = 10 OR ${isTime}))`;
}
