export type { Kysely, Transaction } from 'kysely';
export { type Columns, columns } from './columns.ts';
export { type ConnectOptions, connectStore } from './connect.ts';
export * from './errors.ts';
export { forUpdate, serialise } from './locking.ts';
export { type Migration, type MigrationTables, migrate } from './migrate.ts';
export { storeMigrations } from './migrations.ts';
export {
  DEFAULT_LIMITS,
  type Engine,
  type HeldLease,
  type Store,
  type StoreLimits,
  type StoreLog,
  type TransactionOptions,
} from './store.ts';
export type { StoreTables } from './tables.ts';
