import type { Clock } from '@postern/kit';
import { connectPostgres } from './postgres/store.ts';
import { connectSqlite } from './sqlite/store.ts';
import { DEFAULT_LIMITS, type Store, type StoreLimits, type StoreLog } from './store.ts';

export interface ConnectOptions {
  /** `postgres://…`; this or `file`. */
  readonly url?: string | undefined;
  /** Path of the SQLite database, made when missing; its folder must exist. `:memory:` is one of this process alone. */
  readonly file?: string | undefined;
  /** `shared` of the store that the main thread has on the same file; left out there, and in a process of one thread. */
  readonly shared?: SharedArrayBuffer | undefined;
  readonly clock: Clock;
  readonly log?: StoreLog | undefined;
  readonly limits?: Partial<StoreLimits> | undefined;
}

/**
 * Opens the database of a hub. Say with `DB` which tables it has once {@link migrate} has run.
 *
 * @throws Error of the driver when the database can't be reached or opened.
 */
export async function connectStore<DB>(options: ConnectOptions): Promise<Store<DB>> {
  const { url, file, shared, clock, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  if (url !== undefined && file === undefined) return connectPostgres<DB>(url, clock, limits, log);
  if (file !== undefined && url === undefined) return connectSqlite<DB>(file, clock, limits, log, shared);
  throw new TypeError('a store needs either a url or a file');
}
