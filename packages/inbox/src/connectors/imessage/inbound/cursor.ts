import * as z from 'zod';

/** Rows that were met before they were complete, at most. */
export const MOST_LATE_ROWS = 200;

const lateSchema = z.strictObject({
  row: z.int(),
  /** Given up at this time. */
  untilMs: z.number(),
  /** Whether the message was handed over, and only files of it are awaited. */
  handedOver: z.boolean(),
});

const cursorSchema = z.strictObject({
  /** All messages up to this ROWID were handed over or passed over. */
  row: z.int().min(0),
  /** Guid of that row, to know whether this is still the same database; null where there is none. */
  guid: z.string().nullable(),
  /** Date of the newest message that was handed over. */
  newestMs: z.number(),
  /** Messages from before this moment are history. */
  sinceMs: z.number(),
  late: z.array(lateSchema).max(MOST_LATE_ROWS),
});

export type Cursor = z.output<typeof cursorSchema>;
export type LateRow = z.output<typeof lateSchema>;

/** @returns null for what is no cursor of this connector. */
export function parseCursor(text: string): Cursor | null {
  try {
    return cursorSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function formatCursor(cursor: Cursor): string {
  return JSON.stringify(cursor);
}
