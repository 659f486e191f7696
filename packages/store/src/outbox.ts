import { type Kysely, sql, type Transaction } from 'kysely';
import { bearingOf } from './adapter.ts';
import type { Store } from './store.ts';
import type { OutboxState, OutboxTable, StoreHandle, StoreTables } from './tables.ts';

/**
 * A durable queue in the database: a job is put in with the change it belongs to, in one transaction, and
 * done later at least once. Whoever holds a job holds it by a lease; a job whose worker died comes back.
 */

const TOPIC = /^[a-z][a-z0-9_]{0,39}$/;

/** What one row may say about its last failure. */
const LONGEST_ERROR = 2_000;

export interface NewJob {
  /** snake_case, at most 40 characters; names the kind of work. */
  readonly topic: string;
  /** What the handler needs, usually JSON. */
  readonly payload: string;
  /** Puts the job in at most once for this topic, as long as the earlier one is kept. */
  readonly key?: string | undefined;
  /** Not before this time, in microseconds; at once when left out. */
  readonly runAtUs?: number | undefined;
}

export interface Job {
  readonly id: number;
  readonly topic: string;
  readonly key: string | null;
  readonly payload: string;
  readonly state: OutboxState;
  /** How often a handler was given the job, this time included. */
  readonly attempts: number;
  /** Which claim this is; settles only while it is the latest. */
  readonly claim: number;
  readonly runAtUs: number;
  readonly createdUs: number;
  /** When it was done or buried. */
  readonly finishedUs: number | null;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
}

export interface Failing {
  readonly error: string;
  /** Such as the status of an HTTP response; null when there was none. */
  readonly status?: number | null | undefined;
}

/** The channel that wakes the workers of a topic. */
export function outboxChannel(topic: string): string {
  return `outbox_${topic}`;
}

/**
 * Puts a job in as part of a transaction, and wakes a worker when it commits.
 *
 * @returns its id, or undefined when one with the same key is there already.
 */
export async function enqueue(tx: Transaction<StoreTables>, job: NewJob): Promise<number | undefined> {
  if (!TOPIC.test(job.topic)) throw new RangeError(`"${job.topic}" is not a topic: snake_case, at most 40`);
  const { clock, notify } = bearingOf(tx);
  const now = clock.nowMicroseconds();
  const row = await tx
    .insertInto('outbox')
    .values({
      topic: job.topic,
      dedupe_key: job.key ?? null,
      payload: job.payload,
      state: 'pending',
      attempts: 0,
      claims: 0,
      run_at_us: job.runAtUs ?? now,
      created_us: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['topic', 'dedupe_key']).where('dedupe_key', 'is not', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (row) notify(outboxChannel(job.topic));
  return row?.id;
}

/**
 * Takes up to `limit` jobs that are due, oldest first, for `leaseMs`. No other worker gets them meanwhile.
 */
export async function claimJobs(
  store: Store<StoreTables>,
  topic: string,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<Job[]> {
  const now = store.clock.nowMicroseconds();
  // Mostly there is nothing to do, and an UPDATE takes SQLite's only write lock even to find that out.
  const { rows: looks } = await sql<{ is_due: number | boolean }>`
    SELECT EXISTS (SELECT 1 FROM outbox WHERE topic = ${topic} AND state = 'claimed' AND lease_until_us <= ${now})
      OR EXISTS (SELECT 1 FROM outbox WHERE topic = ${topic} AND state = 'pending' AND run_at_us <= ${now}) AS is_due`.execute(
    store.db,
  );
  if (!looks[0]?.is_due) return [];
  const locking = store.engine === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  // MATERIALIZED, or PostgreSQL may run the limited query again for each row and take more than the limit.
  // Jobs of dead workers first go back to the others: one look at both kinds could not use an index's order.
  await sql`
    WITH expired AS MATERIALIZED (
      SELECT id FROM outbox WHERE topic = ${topic} AND state = 'claimed' AND lease_until_us <= ${now} ${locking})
    UPDATE outbox SET state = 'pending', lease_until_us = NULL WHERE id IN (SELECT id FROM expired)`.execute(
    store.db,
  );
  const { rows } = await sql<StoredJob>`
    WITH due AS MATERIALIZED (
      SELECT id FROM outbox WHERE topic = ${topic} AND state = 'pending' AND run_at_us <= ${now}
      ORDER BY run_at_us, id LIMIT ${limit} ${locking})
    UPDATE outbox SET state = 'claimed', attempts = attempts + 1, claims = claims + 1,
      lease_until_us = ${now + leaseMs * 1_000}
    WHERE id IN (SELECT id FROM due) RETURNING *`.execute(store.db);
  return rows.map(toJob).sort((one, other) => one.runAtUs - other.runAtUs || one.id - other.id);
}

/**
 * Prolongs the leases of jobs that are being worked on.
 *
 * @returns the ids of those that are still held; the others belong to somebody else by now.
 */
export async function extendLeases(
  store: Store<StoreTables>,
  jobs: readonly Job[],
  leaseMs: number,
): Promise<Set<number>> {
  const held = new Set<number>();
  const until = store.clock.nowMicroseconds() + leaseMs * 1_000;
  for (const job of jobs) {
    const query = store.db.updateTable('outbox').set({ lease_until_us: until });
    const { numUpdatedRows } = await query.where(isHeld(job)).executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) held.add(job.id);
  }
  return held;
}

/** Notes that a claimed job is done. @returns false when the lease was lost to another worker. */
export function completeJob(db: StoreHandle, job: Job, status: number | null = null): Promise<boolean> {
  return settle(db, job, { state: 'done', finished_us: now(db), last_error: null, last_status: status });
}

/** Puts a claimed job back until `runAtUs`. @returns false when the lease was lost. */
export function retryJobLater(db: StoreHandle, job: Job, runAtUs: number, why: Failing): Promise<boolean> {
  return settle(db, job, { state: 'pending', run_at_us: runAtUs, ...failure(why) });
}

/** Gives a claimed job up; it stays in the list until {@link reviveJob}. @returns false when the lease was lost. */
export function buryJob(db: StoreHandle, job: Job, why: Failing): Promise<boolean> {
  return settle(db, job, { state: 'dead', finished_us: now(db), ...failure(why) });
}

/** Puts a claimed job back as if it had not been taken. @returns false when the lease was lost. */
export function giveJobBack(db: StoreHandle, job: Job): Promise<boolean> {
  return settle(db, job, { state: 'pending', attempts: job.attempts - 1 });
}

/** Makes a dead job due at once, with all its attempts before it. @returns undefined when no dead job has the id. */
export async function reviveJob(db: StoreHandle, id: number): Promise<Job | undefined> {
  const row = await (db as Kysely<StoreTables>)
    .updateTable('outbox')
    .set({ state: 'pending', attempts: 0, run_at_us: now(db), finished_us: null })
    .where('id', '=', id)
    .where('state', '=', 'dead')
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  bearingOf(db).notify(outboxChannel(row.topic));
  return toJob(row);
}

export async function findJob(db: StoreHandle, id: number): Promise<Job | undefined> {
  const query = (db as Kysely<StoreTables>).selectFrom('outbox').selectAll().where('id', '=', id);
  const row = await query.executeTakeFirst();
  return row && toJob(row);
}

/** Jobs of a topic, newest first; `before` is the id of the last one seen. */
export async function listJobs(
  db: StoreHandle,
  page: {
    readonly topic: string;
    readonly states?: readonly OutboxState[] | undefined;
    readonly limit: number;
    readonly before?: number | undefined;
  },
): Promise<Job[]> {
  let query = (db as Kysely<StoreTables>).selectFrom('outbox').selectAll().where('topic', '=', page.topic);
  if (page.states) query = query.where('state', 'in', page.states);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  const rows = await query.orderBy('id', 'desc').limit(page.limit).execute();
  return rows.map(toJob);
}

/** Removes jobs that were done or buried before `beforeUs`, at most `limit` at a time. @returns how many. */
export async function deleteFinishedJobs(
  db: StoreHandle,
  { beforeUs, limit }: { readonly beforeUs: number; readonly limit: number },
): Promise<number> {
  const kysely = db as Kysely<StoreTables>;
  const old = kysely.selectFrom('outbox').select('id').where('finished_us', '<', beforeUs).limit(limit);
  const { numDeletedRows } = await kysely
    .deleteFrom('outbox')
    .where('id', 'in', old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** When the next job of the topic is due or the next lease runs out; undefined when there is none. */
export async function nextDueUs(store: Store<StoreTables>, topic: string): Promise<number | undefined> {
  const due = (state: OutboxState, column: 'run_at_us' | 'lease_until_us') =>
    store.db
      .selectFrom('outbox')
      .select((build) => build.fn.min(column).as('at'))
      .where('topic', '=', topic)
      .where('state', '=', state)
      .executeTakeFirst();
  const times = [(await due('pending', 'run_at_us'))?.at, (await due('claimed', 'lease_until_us'))?.at];
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length > 0 ? Math.min(...known) : undefined;
}

type StoredJob = Omit<OutboxTable, 'id'> & { id: number };

async function settle(db: StoreHandle, job: Job, change: Partial<Omit<OutboxTable, 'id'>>): Promise<boolean> {
  const { numUpdatedRows } = await (db as Kysely<StoreTables>)
    .updateTable('outbox')
    .set({ ...change, lease_until_us: null })
    .where(isHeld(job))
    .executeTakeFirstOrThrow();
  if (change.state === 'pending') bearingOf(db).notify(outboxChannel(job.topic));
  return numUpdatedRows > 0n;
}

function isHeld(job: Job) {
  return sql<boolean>`id = ${job.id} AND state = 'claimed' AND claims = ${job.claim}`;
}

function failure({ error, status }: Failing) {
  return { last_error: error.slice(0, LONGEST_ERROR), last_status: status ?? null };
}

function now(db: StoreHandle): number {
  return bearingOf(db as Kysely<StoreTables>).clock.nowMicroseconds();
}

function toJob(row: StoredJob): Job {
  return {
    id: row.id,
    topic: row.topic,
    key: row.dedupe_key,
    payload: row.payload,
    state: row.state,
    attempts: row.attempts,
    claim: row.claims,
    runAtUs: row.run_at_us,
    createdUs: row.created_us,
    finishedUs: row.finished_us,
    lastError: row.last_error,
    lastStatus: row.last_status,
  };
}
