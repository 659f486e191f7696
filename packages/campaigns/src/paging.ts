import { idPattern, mustBe } from '@postern/kit';
import * as z from 'zod';

/**
 * Pages of things. The cursor is the last key of the page before, so a page stays the same however many things
 * are added meanwhile; to its holder it is opaque.
 */

const MOST_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 50;

/**
 * `limit` and `cursor` for the input of a list operation.
 *
 * @param prefix of the ids the things are ordered by; a cursor that holds no such id is `invalid_format`.
 */
export function pageFields(prefix: string) {
  return {
    limit: z.int().min(1).max(MOST_PER_PAGE).default(DEFAULT_PER_PAGE).describe('How many to answer at most'),
    cursor: z
      .string()
      .refine((cursor) => keyOfCursor(cursor, prefix) !== null, {
        error: mustBe('a next_cursor of an earlier answer'),
      })
      .optional()
      .describe('next_cursor of the page before; the first page without it'),
  };
}

/** The output of a list operation. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
}

/**
 * One page of rows.
 *
 * @param fetch gives up to `limit` rows in the order of their keys, those behind `after` (null: from the start).
 * @param keyOf the key a row is ordered by, an id of `prefix`.
 */
export async function page<Row>(
  request: { readonly limit: number; readonly cursor?: string | undefined },
  prefix: string,
  fetch: (window: { after: string | null; limit: number }) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): Promise<Page<Row>> {
  const after = request.cursor === undefined ? null : keyOfCursor(request.cursor, prefix);
  // One more than asked for tells whether there is a page behind this one.
  const found = await fetch({ after, limit: request.limit + 1 });
  const rows = found.slice(0, request.limit);
  const last = rows.at(-1);
  const isMore = found.length > rows.length && last !== undefined;
  return { rows, next_cursor: isMore ? cursorOfKey(keyOf(last)) : null };
}

export function cursorOfKey(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function keyOfCursor(cursor: string, prefix: string): string | null {
  if (cursor.length > 200) return null;
  const key = Buffer.from(cursor, 'base64url').toString();
  return idPattern(prefix).test(key) && cursorOfKey(key) === cursor ? key : null;
}
