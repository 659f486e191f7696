import { compareTs, FIRST_TS, isTs, tsBefore } from './ts.ts';

/**
 * How far the posts are on record. Slack may tell of an older post after a newer one, so a single id would leave the
 * older one out after a stop between the two: everything up to the floor is done, and above it what is listed.
 */
export interface Position {
  readonly floor: string;
  /** Keys of posts above the floor, see {@link doneKey}; in the order in which they were done. */
  readonly done: readonly string[];
}

/** Posts come late by so much at the most. */
const LATEST_S = 60;
const MOST_DONE = 200;

/** A post id is unique within its channel only. */
export function doneKey(channelId: string, ts: string): string {
  return `${channelId}:${ts}`;
}

export function isDone(position: Position, channelId: string, ts: string): boolean {
  return compareTs(ts, position.floor) <= 0 || position.done.includes(doneKey(channelId, ts));
}

/** With one more post done that came as it happened. */
export function advance(position: Position, channelId: string, ts: string): Position {
  if (isDone(position, channelId, ts)) return position;
  const done = [...position.done, doneKey(channelId, ts)];
  const newest = done.map(tsOf).reduce((left, right) => (compareTs(left, right) > 0 ? left : right));
  const late = tsBefore(newest, LATEST_S);
  let floor = compareTs(late, position.floor) > 0 ? late : position.floor;
  if (done.length > MOST_DONE) {
    const oldest = done.map(tsOf).sort(compareTs)[done.length - MOST_DONE - 1] ?? floor;
    if (compareTs(oldest, floor) > 0) floor = oldest;
  }
  return { floor, done: done.filter((key) => compareTs(tsOf(key), floor) > 0) };
}

/** With everything up to a post done, as when all of a gap was fetched in its order. */
export function settle({ floor, done }: Position, ts: string): Position {
  if (compareTs(ts, floor) <= 0) return { floor, done };
  return { floor: ts, done: done.filter((key) => compareTs(tsOf(key), ts) > 0) };
}

export function formatPosition({ floor, done }: Position): string {
  return [floor, ...done].join(' ');
}

/** Null for what is no position. */
export function parsePosition(text: string): Position | null {
  const [floor = '', ...done] = text.split(' ');
  if (!isTs(floor) || !done.every((key) => isTs(tsOf(key)))) return null;
  return { floor, done };
}

export function startAt(ts: string | null): Position {
  return { floor: ts ?? FIRST_TS, done: [] };
}

function tsOf(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}
