import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@postern/kit';
import { Kysely, SqliteIntrospector } from 'kysely';
import { PosternSqliteAdapter } from '../adapter.ts';
import { checkNotification, Listeners } from '../listeners.ts';
import { TransactionScope } from '../scope.ts';
import type { Store, StoreLimits, StoreLog } from '../store.ts';
import { runTransaction } from '../transaction.ts';
import { backupDatabase } from './backup.ts';
import { untilFree } from './busy.ts';
import { SqliteDriver } from './driver.ts';
import { NamedLeases } from './leases.ts';
import { Precedence } from './precedence.ts';
import { PosternSqliteQueryCompiler } from './query-compiler.ts';
import { Turnstile } from './turnstile.ts';

/** SQLite's own name for a database that is nowhere but in this process, and ends with it. */
const IN_MEMORY = ':memory:';

/** Pages of the log after which a process copies it into the file itself; SQLite's own 1,000 is what threads have. */
const HOST_CHECKPOINT_PAGES = 2_000;
const THREAD_CACHE_KIB = 8 * 1024;

export async function connectSqlite<DB>(
  file: string,
  clock: Clock,
  limits: StoreLimits,
  log: StoreLog | undefined,
  shared: SharedArrayBuffer | undefined,
): Promise<Store<DB>> {
  const database = await openDatabase(file, limits.waitMs, shared !== undefined);
  const scope = new TransactionScope();
  const turnstile = new Turnstile(limits.waitMs, limits.maxWaiting);
  const precedence = new Precedence(shared);
  const listeners = new Listeners(log);
  const notify = (channel: string, payload = ''): void => {
    checkNotification(channel, payload);
    // Never in the notifier's own turn, so that both engines call back alike.
    scope.afterCommit(() => queueMicrotask(() => listeners.emit(channel, payload)));
  };
  const driver = new SqliteDriver(database, turnstile, precedence, scope, limits.waitMs);
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PosternSqliteAdapter(clock, notify),
      createDriver: () => driver,
      createIntrospector: (inner) => new SqliteIntrospector(inner),
      createQueryCompiler: () => new PosternSqliteQueryCompiler(),
    },
  });
  const leases = new NamedLeases();
  let closing: Promise<void> | undefined;
  return {
    engine: 'sqlite',
    shared: precedence.shared,
    get isAwaited() {
      return precedence.isAwaited;
    },
    clock,
    db,
    transaction: (work, options = {}) =>
      runTransaction({ db, scope, limits, log, isolationLevels: false }, work, options),
    notify,
    listen(channel, onNotify) {
      checkNotification(channel, '');
      return listeners.add(channel, onNotify).remove;
    },
    tryLease: async (name) => leases.take(name),
    backup: (target) => backupDatabase(file, target),
    close() {
      closing ??= (async () => {
        listeners.clear();
        leases.loseAll();
        // Kysely closes only a driver that it has used.
        await driver.destroy();
        await db.destroy();
      })();
      return closing;
    },
  };
}

async function openDatabase(file: string, waitMs: number, isThread: boolean): Promise<DatabaseSync> {
  let isNew = true;
  if (file !== IN_MEMORY) {
    // Made here first because SQLite would let everybody read it; its companions take the mode from it.
    const handle = await open(file, 'a', 0o600);
    isNew = (await handle.stat()).size === 0;
    await handle.close();
  }
  const database = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    // Only a new file takes it, and any other would be written to: pages that become free can then be given back
    // to the disk, bit by bit.
    if (isNew) await untilFree(waitMs, () => database.exec('PRAGMA auto_vacuum = INCREMENTAL'));
    // On a new file it needs the file alone for a moment, and another process may be at it as well.
    await untilFree(waitMs, () => database.exec('PRAGMA journal_mode = WAL'));
    // What has been acknowledged must survive the machine's power, not only the process.
    database.exec('PRAGMA synchronous = FULL');
    database.exec('PRAGMA trusted_schema = OFF');
    // A process's threads write more at a time, and see to it before the event loop of the process has to.
    if (!isThread) database.exec(`PRAGMA wal_autocheckpoint = ${HOST_CHECKPOINT_PAGES}`);
    // What a batch of an import touches does not fit SQLite's own 2 MB, and would be written and read in between.
    else database.exec(`PRAGMA cache_size = -${THREAD_CACHE_KIB}`);
    database.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
    return database;
  } catch (error) {
    database.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the database ${file} can't be used: ${reason}`, { cause: error });
  }
}
