import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { StoreBusyError } from '../errors.ts';
import type { TransactionScope } from '../scope.ts';
import type { StoreLimits, StoreLog } from '../store.ts';
import { connectionSettings } from './settings.ts';

/** The pool of a store, which refuses what would wait for itself or behind too many others. */
export class GuardedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  readonly #scope: TransactionScope;
  readonly #limits: StoreLimits;
  #ended: Promise<void> | undefined;

  constructor(url: string, scope: TransactionScope, limits: StoreLimits, log: StoreLog | undefined) {
    this.#pool = new pg.Pool({
      ...connectionSettings(url, limits),
      max: limits.poolSize,
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: limits.transactionMs * 2,
    });
    this.#pool.on('error', (error) => log?.warn({ err: error }, 'an idle database connection was lost'));
    // A connection may also be lost between two statements of a transaction, where nobody else listens and the error
    // would end the process. Whoever uses it next is told by that statement's failure.
    this.#pool.on('connect', (client) => {
      client.on('error', (error) => log?.warn({ err: error }, 'a database connection was lost'));
    });
    this.#scope = scope;
    this.#limits = limits;
    this.options = this.#pool.options;
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#scope.assertOutside('store.db');
    if (this.#ended) throw new StoreBusyError('the store is closed');
    if (this.#pool.waitingCount >= this.#limits.maxWaiting) {
      throw new StoreBusyError(`the database is busy: ${this.#pool.waitingCount} wait for it already`);
    }
    try {
      return (await this.#pool.connect()) as unknown as PostgresPoolClient;
    } catch (error) {
      if (error instanceof Error && error.message === 'timeout exceeded when trying to connect') {
        throw new StoreBusyError(`no database connection was free within ${this.#limits.waitMs} ms`);
      }
      throw error;
    }
  }

  /** One statement outside of Kysely, for the store's own needs. */
  async query(sql: string, parameters: unknown[]): Promise<void> {
    await this.#pool.query(sql, parameters);
  }

  end(): Promise<void> {
    this.#ended ??= this.#pool.end();
    return this.#ended;
  }
}
