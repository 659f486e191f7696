import type { Generated, Kysely, Transaction } from 'kysely';

/** Times ending in `_us` are microseconds since the epoch; flags are 0 or 1. */

export type OutboxState = 'pending' | 'claimed' | 'done' | 'dead';

export interface OutboxTable {
  id: Generated<number>;
  topic: string;
  /** Unique within the topic while the row is kept. */
  dedupe_key: string | null;
  payload: string;
  state: OutboxState;
  /** How often a handler was given the job. */
  attempts: number;
  /** Counts every claim, so that a worker whose lease has run out can be told from the next one. */
  claims: number;
  run_at_us: number;
  lease_until_us: number | null;
  created_us: number;
  finished_us: number | null;
  last_error: string | null;
  /** A status the handler noted, such as that of an HTTP response. */
  last_status: number | null;
}

export type IdempotencyState = 'running' | 'started' | 'unknown' | 'done';

export interface IdempotencyTable {
  id: Generated<number>;
  scope: string;
  key: string;
  body_hash: string;
  state: IdempotencyState;
  /** Counts the holders of the key, as {@link OutboxTable.claims} does. */
  claims: number;
  lease_until_us: number;
  expires_us: number;
  status: number | null;
  body: string | null;
}

export interface BucketTable {
  name: string;
  /** When the bucket will be full again; in the past when it is. */
  full_at_us: number;
}

export interface SettingTable {
  key: string;
  value: string;
}

export interface BlobTable {
  /** Each writing of a blob has its own, so readers of the last one are not disturbed. */
  upload_id: Generated<number>;
  blob_id: string;
  size_bytes: number;
  complete: number;
  created_us: number;
}

export interface BlobChunkTable {
  upload_id: number;
  position: number;
  data: Uint8Array;
}

/** The tables of this package. A service's store has them beside its own: `Store<StoreTables & InboxTables>`. */
export interface StoreTables {
  outbox: OutboxTable;
  idempotency_keys: IdempotencyTable;
  token_buckets: BucketTable;
  settings: SettingTable;
  blobs: BlobTable;
  blob_chunks: BlobChunkTable;
}

/** What reads and writes may be done with: `store.db`, or the transaction they are part of. */
export type StoreHandle = Kysely<StoreTables> | Transaction<StoreTables>;
