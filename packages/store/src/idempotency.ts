import type { Kysely, Transaction } from 'kysely';
import { bearingOf } from './adapter.ts';
import { forUpdate } from './locking.ts';
import type { Store } from './store.ts';
import type { IdempotencyState, IdempotencyTable, StoreHandle, StoreTables } from './tables.ts';

/**
 * Remembers what was answered to a keyed request, so that the same request is carried out once:
 *
 * - `running`: somebody works on it. Its lease over, it may be begun anew, as nothing irreversible happened.
 * - `started`: the call that can't be taken back is under way. Its lease over, it becomes `unknown`.
 * - `unknown`: nobody can say whether the call came through; it is never made again by itself.
 * - `done`: the answer is kept and given again.
 */

/** How long a key is remembered, in microseconds. */
const KEPT_US = 24 * 60 * 60 * 1_000_000;

export interface IdempotentRequest {
  /** Keeps the keys of different callers apart. */
  readonly scope: string;
  readonly key: string;
  /** Of the canonical body; another body under the same key is a conflict. */
  readonly bodyHash: string;
  /** How long this process may take before others doubt that it lives. */
  readonly leaseMs: number;
}

/** The right to carry a request out and to note its answer. */
export interface IdempotencyHold {
  readonly id: number;
  readonly claim: number;
}

export type IdempotencyOutcome =
  | { readonly state: 'new'; readonly hold: IdempotencyHold }
  | { readonly state: 'replay'; readonly status: number; readonly body: string }
  | { readonly state: 'conflict' }
  | { readonly state: 'running'; readonly retryAfterSeconds: number }
  | { readonly state: 'unknown' };

/** Another process has taken the request over: do nothing more for it. */
export class IdempotencyLostError extends Error {
  override readonly name = 'IdempotencyLostError';
  constructor() {
    super('the request was taken over by another process');
  }
}

/** Asks for the right to carry a request out. Of any number that ask at once, one is told `new`. */
export async function beginIdempotent(
  store: Store<StoreTables>,
  request: IdempotentRequest,
): Promise<IdempotencyOutcome> {
  return store.transaction(async (tx) => {
    const now = store.clock.nowMicroseconds();
    const fresh = {
      body_hash: request.bodyHash,
      state: 'running' as const,
      lease_until_us: now + request.leaseMs * 1_000,
      expires_us: now + KEPT_US,
      status: null,
      body: null,
    };
    // A row that is released between the two statements is put in by the next round.
    for (;;) {
      const inserted = await tx
        .insertInto('idempotency_keys')
        .values({ scope: request.scope, key: request.key, claims: 1, ...fresh })
        .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
        .returning(['id', 'claims'])
        .executeTakeFirst();
      if (inserted) return { state: 'new', hold: { id: inserted.id, claim: inserted.claims } };
      const query = tx.selectFrom('idempotency_keys').selectAll();
      const found = await forUpdate(
        tx,
        query.where('scope', '=', request.scope).where('key', '=', request.key),
      ).executeTakeFirst();
      if (found) return judge(tx, found, request, fresh, now);
    }
  });
}

type Row = Omit<IdempotencyTable, 'id'> & { id: number };

async function judge(
  tx: Transaction<StoreTables>,
  found: Row,
  request: IdempotentRequest,
  fresh: Partial<Row>,
  now: number,
): Promise<IdempotencyOutcome> {
  const isOpen = found.state === 'running' || found.state === 'started';
  const isHeld = isOpen && found.lease_until_us > now;
  const isForgotten = !isHeld && (found.expires_us <= now || found.state === 'running');
  if (isForgotten) {
    const hold = { id: found.id, claim: found.claims + 1 };
    await update(tx, found, { ...fresh, claims: hold.claim });
    return { state: 'new', hold };
  }
  if (found.body_hash !== request.bodyHash) return { state: 'conflict' };
  if (isHeld) {
    return { state: 'running', retryAfterSeconds: Math.ceil((found.lease_until_us - now) / 1_000_000) };
  }
  if (found.state === 'done') return { state: 'replay', status: found.status ?? 200, body: found.body ?? '' };
  if (found.state === 'started') await update(tx, found, { state: 'unknown' });
  return { state: 'unknown' };
}

async function update(tx: Transaction<StoreTables>, { id }: Row, change: Partial<Row>): Promise<void> {
  await tx.updateTable('idempotency_keys').set(change).where('id', '=', id).execute();
}

/**
 * Notes, right before the call that can't be taken back, that it is about to be made.
 *
 * @param leaseMs how long the call may take; counted from now.
 * @throws IdempotencyLostError when the lease ran out and another process took over: don't make the call.
 */
export async function markIdempotentStarted(
  store: Store<StoreTables>,
  hold: IdempotencyHold,
  leaseMs: number,
): Promise<void> {
  await markIdempotentStartedIn(store.db, hold, leaseMs);
}

/**
 * The same as part of the transaction that makes the change: as long as it has not committed nothing is started,
 * and once it has, no retry makes the change again.
 *
 * @throws IdempotencyLostError as {@link markIdempotentStarted} does.
 */
export async function markIdempotentStartedIn(
  db: StoreHandle,
  hold: IdempotencyHold,
  leaseMs: number,
): Promise<void> {
  const until = bearingOf(db as Kysely<StoreTables>).clock.nowMicroseconds() + leaseMs * 1_000;
  await change(db, hold, ['running'], { state: 'started', lease_until_us: until });
}

/**
 * Prolongs the lease of a request that is still being worked on, so that it may be short and a dead process'
 * requests need not wait long for their judgement.
 *
 * @param leaseMs counted from now.
 * @returns false when there is nothing to prolong: it is settled, or was taken over.
 */
export async function extendIdempotent(
  db: StoreHandle,
  hold: IdempotencyHold,
  leaseMs: number,
): Promise<boolean> {
  const kysely = db as Kysely<StoreTables>;
  const until = bearingOf(kysely).clock.nowMicroseconds() + leaseMs * 1_000;
  const { numUpdatedRows } = await kysely
    .updateTable('idempotency_keys')
    .set({ lease_until_us: until })
    .where('id', '=', hold.id)
    .where('claims', '=', hold.claim)
    .where('state', 'in', ['running', 'started'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Keeps the answer, in the transaction that records what was done. It also settles an outcome that others
 * took for unknown meanwhile.
 *
 * @throws IdempotencyLostError as {@link markIdempotentStarted} does.
 */
export async function finishIdempotent(
  tx: Transaction<StoreTables>,
  hold: IdempotencyHold,
  answer: { readonly status: number; readonly body: string },
): Promise<void> {
  await change(tx, hold, ['running', 'started', 'unknown'], { state: 'done', ...answer });
}

/** Forgets a request that failed without the call having been made; a retry with the key begins anew. */
export async function releaseIdempotent(db: StoreHandle, hold: IdempotencyHold): Promise<void> {
  await (db as Kysely<StoreTables>)
    .deleteFrom('idempotency_keys')
    .where('id', '=', hold.id)
    .where('claims', '=', hold.claim)
    .where('state', 'in', ['running', 'started'])
    .execute();
}

/**
 * Ends a request after an error that does not tell how far it came: one that was not started is forgotten, one that
 * was is left as of unknown outcome. The database knows, also where a commit got no answer.
 */
export async function giveUpIdempotent(db: StoreHandle, hold: IdempotencyHold): Promise<void> {
  const kysely = db as Kysely<StoreTables>;
  await kysely
    .deleteFrom('idempotency_keys')
    .where('id', '=', hold.id)
    .where('claims', '=', hold.claim)
    .where('state', '=', 'running')
    .execute();
  await kysely
    .updateTable('idempotency_keys')
    .set({ state: 'unknown' })
    .where('id', '=', hold.id)
    .where('claims', '=', hold.claim)
    .where('state', '=', 'started')
    .execute();
}

/** Leaves a started call as one of unknown outcome, for instance after it timed out. */
export async function markIdempotentUnknown(db: StoreHandle, hold: IdempotencyHold): Promise<void> {
  await change(db, hold, ['started', 'unknown'], { state: 'unknown' });
}

/** Removes keys that are no longer remembered. @returns how many. */
export async function deleteExpiredIdempotency(store: Store<StoreTables>): Promise<number> {
  const now = store.clock.nowMicroseconds();
  const { numDeletedRows } = await store.db
    .deleteFrom('idempotency_keys')
    .where('expires_us', '<=', now)
    .where('lease_until_us', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function change(
  db: StoreHandle,
  hold: IdempotencyHold,
  from: readonly IdempotencyState[],
  values: Partial<Omit<IdempotencyTable, 'id'>>,
): Promise<void> {
  const { numUpdatedRows } = await (db as Kysely<StoreTables>)
    .updateTable('idempotency_keys')
    .set(values)
    .where('id', '=', hold.id)
    .where('claims', '=', hold.claim)
    .where('state', 'in', from)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new IdempotencyLostError();
}
