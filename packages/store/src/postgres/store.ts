import type { Clock } from '@postern/kit';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { PosternPostgresAdapter } from '../adapter.ts';
import { checkNotification, Listeners } from '../listeners.ts';
import { TransactionScope } from '../scope.ts';
import type { Store, StoreLimits, StoreLog } from '../store.ts';
import { runTransaction } from '../transaction.ts';
import { Notifier } from './notifier.ts';
import { GuardedPool } from './pool.ts';
import { Session } from './session.ts';
import { connectionSettings } from './settings.ts';

export async function connectPostgres<DB>(
  url: string,
  clock: Clock,
  limits: StoreLimits,
  log: StoreLog | undefined,
): Promise<Store<DB>> {
  const place = describePlace(url);
  const scope = new TransactionScope();
  const pool = new GuardedPool(url, scope, limits, log);
  const notifier = new Notifier((statement, parameters) => pool.query(statement, parameters), log);
  const notify = (channel: string, payload = ''): void => {
    checkNotification(channel, payload);
    scope.afterCommit(() => notifier.add(channel, payload));
  };
  const adapter = new PosternPostgresAdapter(clock, notify);
  const db = new Kysely<DB>({ dialect: new StoreDialect(pool, adapter) });
  try {
    await assertUsable(db);
  } catch (error) {
    await db.destroy();
    throw new Error(`the database ${place} can't be used: ${reasonOf(error)}`, { cause: error });
  }
  const listeners = new Listeners(log);
  const session = new Session(connectionSettings(url, limits), listeners, log);
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    shared: undefined,
    isAwaited: false,
    clock,
    db,
    transaction: (work, options = {}) =>
      runTransaction({ db, scope, limits, log, isolationLevels: true }, work, options),
    notify,
    listen(channel, onNotify) {
      checkNotification(channel, '');
      const { isFirst, remove } = listeners.add(channel, onNotify);
      if (isFirst) session.listen(channel);
      return () => {
        if (remove()) session.unlisten(channel);
      };
    },
    tryLease: (name) => session.tryLease(name),
    async backup() {
      throw new Error('PostgreSQL is backed up with its own tools, such as pg_dump');
    },
    close() {
      closing ??= (async () => {
        listeners.clear();
        await session.close();
        await notifier.idle();
        await db.destroy();
        await pool.end();
      })();
      return closing;
    },
  };
}

class StoreDialect extends PostgresDialect {
  readonly #adapter: PosternPostgresAdapter;

  constructor(pool: GuardedPool, adapter: PosternPostgresAdapter) {
    super({ pool });
    this.#adapter = adapter;
  }

  override createAdapter(): PosternPostgresAdapter {
    return this.#adapter;
  }
}

/** Names the database without its password. */
function describePlace(url: string): string {
  // Not left to the parser, whose error would carry the whole text.
  if (!URL.canParse(url)) throw new Error('the address of the database is not a URL');
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** A refused connection is an error of many errors that has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

const OLDEST_VERSION = 14;

/**
 * People write in every script; a database of another encoding would refuse some of them much later. And
 * versions that PostgreSQL's makers no longer mend are not tested.
 */
async function assertUsable<DB>(db: Kysely<DB>): Promise<void> {
  const query = sql<{ encoding: string; version: number }>`
    SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int / 10000 AS version`;
  const { rows } = await query.execute(db);
  const { encoding, version } = rows[0] ?? { encoding: 'unknown', version: 0 };
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}; it must be UTF8`);
  if (version < OLDEST_VERSION)
    throw new Error(`the server is PostgreSQL ${version}; ${OLDEST_VERSION} or newer is needed`);
}
