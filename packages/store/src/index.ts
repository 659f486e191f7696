export type { Generated, Kysely, Transaction } from 'kysely';
export {
  type BlobContent,
  type BlobStore,
  BlobTooLargeError,
  type ByteRange,
  type StoredBlob,
} from './blobs/blob-store.ts';
export { databaseBlobs } from './blobs/database-blobs.ts';
export { fileBlobs } from './blobs/file-blobs.ts';
export { type Bucket, deleteFullBuckets, type Taken, takeTokens } from './buckets.ts';
export { type Columns, columns } from './columns.ts';
export { type ConnectOptions, connectStore } from './connect.ts';
export {
  DatabaseTooNewError,
  isStorageTimeout,
  StoreBusyError,
  TransactionDeadlineError,
  TransactionMisuseError,
} from './errors.ts';
export {
  beginIdempotent,
  deleteExpiredIdempotency,
  extendIdempotent,
  finishIdempotent,
  giveUpIdempotent,
  type IdempotencyHold,
  IdempotencyLostError,
  type IdempotencyOutcome,
  type IdempotentRequest,
  markIdempotentStarted,
  markIdempotentStartedIn,
  markIdempotentUnknown,
  releaseIdempotent,
} from './idempotency.ts';
export { type LeaseOptions, withLease } from './leases.ts';
export { type DataFolderLock, DataFolderLockedError, lockDataFolder, prepareDataFolder } from './lock.ts';
export { forUpdate, serialise } from './locking.ts';
export { type Migration, type MigrationTables, migrate } from './migrate.ts';
export { storeMigrations } from './migrations.ts';
export {
  buryJob,
  claimJobs,
  completeJob,
  deleteFinishedJobs,
  enqueue,
  type Failing,
  findJob,
  giveJobBack,
  type Job,
  listJobs,
  type NewJob,
  retryJobLater,
  reviveJob,
} from './outbox.ts';
export { type JobOutcome, type OutboxWorkerOptions, runOutbox } from './outbox-worker.ts';
export { reclaimAfterRestart } from './restart.ts';
export { getOrCreateSetting } from './settings.ts';
export { forEachRow } from './sqlite/for-each.ts';
export { giveBackFreePages } from './sqlite/free-pages.ts';
export { boundSql } from './sqlite/query-compiler.ts';
export {
  DEFAULT_LIMITS,
  type Engine,
  type HeldLease,
  type Store,
  type StoreLimits,
  type StoreLog,
  type TransactionOptions,
} from './store.ts';
export type { OutboxState, StoreHandle, StoreTables } from './tables.ts';
