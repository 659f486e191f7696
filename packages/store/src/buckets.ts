import { type Kysely, sql } from 'kysely';
import { bearingOf } from './adapter.ts';
import type { StoreHandle, StoreTables } from './tables.ts';

export interface Bucket {
  /** Every name is a bucket of its own: `send:local:general`. */
  readonly name: string;
  /** Tokens that come back in a second; may be a fraction. */
  readonly perSecond: number;
  /** Most tokens there can be; a whole number. A new bucket is full. */
  readonly burst: number;
}

export type Taken =
  | { readonly ok: true; readonly remaining: number }
  /** Nothing was taken; after this many whole seconds there will be enough, if nobody else takes them. */
  | { readonly ok: false; readonly retryAfterSeconds: number };

/**
 * Takes `cost` tokens, all or none, in one statement, so that takers at the same time get no more than
 * there are. Instead of a count the row keeps when the bucket will be full again, which is exact in whole
 * microseconds and needs no refilling.
 *
 * @throws RangeError for a rate, burst or cost that could never work.
 */
export async function takeTokens(db: StoreHandle, bucket: Bucket, cost = 1): Promise<Taken> {
  const { perSecond, burst } = bucket;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) throw new RangeError('a rate is more than 0');
  if (!(Number.isInteger(cost) && cost >= 1 && Number.isInteger(burst) && cost <= burst)) {
    throw new RangeError('a cost is a whole number from 1 to the burst');
  }
  const kysely = db as Kysely<StoreTables>;
  const { engine, clock } = bearingOf(kysely);
  // Rounded up, so that never more than the rate comes through.
  const perToken = Math.ceil(1_000_000 / perSecond);
  const nowUs = clock.nowMicroseconds();
  const now = whole(nowUs);
  const capacity = burst * perToken;
  const least = sql.raw(engine === 'postgres' ? 'least' : 'min');
  const greatest = sql.raw(engine === 'postgres' ? 'greatest' : 'max');
  // Never in the past, and never emptier than empty.
  const level = sql`${least}(${greatest}(bucket.full_at_us, ${now}), ${now} + ${whole(capacity)})`;
  const after = sql`${level} + ${whole(cost * perToken)}`;
  const { rows } = await sql<{ full_at_us: number }>`
    INSERT INTO token_buckets AS bucket (name, full_at_us)
    VALUES (${bucket.name}, ${now} + ${whole(cost * perToken)})
    ON CONFLICT (name) DO UPDATE SET full_at_us = ${after} WHERE ${after} <= ${now} + ${whole(capacity)}
    RETURNING full_at_us`.execute(kysely);
  const taken = rows[0];
  if (taken) {
    const free = nowUs + capacity - taken.full_at_us;
    return { ok: true, remaining: Math.min(burst - cost, Math.max(0, Math.floor(free / perToken))) };
  }
  const query = kysely.selectFrom('token_buckets').select('full_at_us').where('name', '=', bucket.name);
  const full = (await query.executeTakeFirst())?.full_at_us ?? nowUs;
  const empty = nowUs + capacity;
  // Further from full than empty: the clock was set back, or the burst was lowered. From here on it fills.
  if (full > empty) {
    const change = kysely.updateTable('token_buckets').set({ full_at_us: empty });
    await change.where('name', '=', bucket.name).where('full_at_us', '>', empty).execute();
  }
  const missing = Math.min(full, empty) + cost * perToken - empty;
  return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil(missing / 1_000_000)) };
}

/** Removes buckets that are full, which is what a missing one is too. @returns how many. */
export async function deleteFullBuckets(db: StoreHandle): Promise<number> {
  const kysely = db as Kysely<StoreTables>;
  const now = bearingOf(kysely).clock.nowMicroseconds();
  const query = kysely.deleteFrom('token_buckets').where('full_at_us', '<=', now);
  return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
}

/** PostgreSQL has to be told the type of a parameter that stands alone in a sum. */
function whole(value: number) {
  return sql`CAST(${value} AS bigint)`;
}
