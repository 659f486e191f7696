import type { Engine } from '@postern/store';
import { type FreshStore, type FreshStoreOptions, freshStore } from '@postern/store/testing';
import { threadsMigrations } from '../migrations.ts';
import type { ThreadsTables } from '../tables.ts';

/** A database of its own with the service's tables; gone with the test. */
export function threadsStore(
  engine: Engine,
  options: Omit<FreshStoreOptions, 'migrations'> = {},
): Promise<FreshStore<ThreadsTables>> {
  return freshStore<ThreadsTables>(engine, { ...options, migrations: threadsMigrations });
}
