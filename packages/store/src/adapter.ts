import type { Clock } from '@postern/kit';
import { type Kysely, PostgresAdapter, SqliteAdapter, type Transaction } from 'kysely';
import type { Engine } from './store.ts';

/**
 * Kysely hands its dialect's adapter on to every transaction and copy of itself, so what a function needs
 * to know about the database it was given travels there: which engine it is, what time it is, and how to
 * wake others.
 */
interface Bearing {
  readonly engine: Engine;
  readonly clock: Clock;
  /** {@link Store.notify} */
  readonly notify: Notify;
}

type Notify = (channel: string, payload?: string) => void;

export class PosternSqliteAdapter extends SqliteAdapter implements Bearing {
  readonly engine = 'sqlite';
  readonly clock: Clock;
  readonly notify: Notify;

  constructor(clock: Clock, notify: Notify) {
    super();
    this.clock = clock;
    this.notify = notify;
  }

  /** There is one connection, but the driver queues for it itself, with a deadline and a guard. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class PosternPostgresAdapter extends PostgresAdapter implements Bearing {
  readonly engine = 'postgres';
  readonly clock: Clock;
  readonly notify: Notify;

  constructor(clock: Clock, notify: Notify) {
    super();
    this.clock = clock;
    this.notify = notify;
  }
}

/**
 * Engine, clock and notifications of the store a transaction (or `store.db`) belongs to.
 *
 * @throws TypeError for a Kysely that no store made.
 */
export function bearingOf<DB>(db: Kysely<DB> | Transaction<DB>): Bearing {
  const { adapter } = db.getExecutor();
  if (adapter instanceof PosternSqliteAdapter || adapter instanceof PosternPostgresAdapter) return adapter;
  throw new TypeError('not the database of a store');
}
