/**
 * How far the posts of the server are handled, as a cursor that survives restarts.
 *
 * Events may come a little out of order, and many posts may share a millisecond, so the time of the newest is not
 * enough: the position is a time before which all is done, and the posts since that are done too.
 */
export interface Position {
  /** Milliseconds of the server's clock. */
  readonly floorMs: number;
  /** Done posts from `floorMs` on, by age. */
  readonly done: readonly DonePost[];
}

interface DonePost {
  readonly id: string;
  readonly createdMs: number;
}

/** A post may come this much later than a younger one and is still found missing. */
const OVERLAP_MS = 2_000;
/** A cursor with so many is below a kilobyte. */
const MOST_DONE = 24;

export function startAt(floorMs: number, done: readonly DonePost[] = []): Position {
  return { floorMs, done: done.filter(({ createdMs }) => createdMs >= floorMs) };
}

export function advance({ floorMs, done }: Position, post: DonePost): Position {
  if (post.createdMs < floorMs || done.some(({ id }) => id === post.id)) return { floorMs, done };
  const all = [...done, post].sort((one, other) => one.createdMs - other.createdMs);
  const newest = all.at(-1)?.createdMs ?? floorMs;
  const kept = all.slice(-MOST_DONE);
  // Whoever is dropped for the number must lie before the floor.
  const lowest = kept.length < all.length ? (kept[0]?.createdMs ?? floorMs) : floorMs;
  return startAt(Math.max(floorMs, newest - OVERLAP_MS, lowest), kept);
}

export function isDone({ floorMs, done }: Position, post: { id: string; create_at: number }): boolean {
  return post.create_at < floorMs || done.some(({ id }) => id === post.id);
}

/** `<floor>` and then `,<id>@<milliseconds after the floor>` for each. */
export function formatPosition({ floorMs, done }: Position): string {
  return [floorMs, ...done.map(({ id, createdMs }) => `${id}@${createdMs - floorMs}`)].join(',');
}

/** Null for what is no cursor of this platform. */
export function parsePosition(cursor: string): Position | null {
  const [floor = '', ...posts] = cursor.split(',');
  if (!/^\d{1,16}$/.test(floor)) return null;
  const floorMs = Number(floor);
  const done = posts.flatMap((entry) => {
    const [, id = '', after = ''] = /^([a-z0-9]{26})@(\d{1,10})$/.exec(entry) ?? [];
    return id === '' ? [] : [{ id, createdMs: floorMs + Number(after) }];
  });
  return { floorMs, done };
}
