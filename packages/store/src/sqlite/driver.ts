import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { StoreBusyError } from '../errors.ts';
import { pause } from '../pause.ts';
import type { TransactionScope } from '../scope.ts';
import { Statements } from './statements.ts';
import type { Turnstile } from './turnstile.ts';

/** SQLITE_BUSY; the higher bits of a code say why. */
const BUSY = 5;

/** Between two looks at a database file that another process has locked. */
const BUSY_PAUSE_MS = 20;

/**
 * How long statements may follow each other before the event loop gets a turn. They run at once, so a long
 * row of them would otherwise keep out everything else the process does.
 */
const LONGEST_STRETCH_MS = 10;

/** Driver of one SQLite connection that all take in turn. */
export class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #turnstile: Turnstile;
  readonly #scope: TransactionScope;
  readonly #statements: Statements;
  readonly #waitMs: number;
  #stretchSince = performance.now();

  constructor(database: DatabaseSync, turnstile: Turnstile, scope: TransactionScope, waitMs: number) {
    this.#database = database;
    this.#turnstile = turnstile;
    this.#scope = scope;
    this.#statements = new Statements(database);
    this.#waitMs = waitMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    this.#scope.assertOutside('store.db');
    await this.#turnstile.enter();
    if (performance.now() - this.#stretchSince > LONGEST_STRETCH_MS) {
      await nextTurn();
      this.#stretchSince = performance.now();
    }
    return new SqliteConnection(this.#database, this.#statements, this.#waitMs);
  }

  /** The write lock is taken at once: a transaction that reads first could otherwise not become a writer. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // Some errors, such as a full disk, have rolled it back already.
    if (this.#database.isTransaction) await connection.executeQuery(CompiledQuery.raw('ROLLBACK'));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof SqliteConnection) connection.end();
    // Whoever comes next must not find itself in somebody else's transaction.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#turnstile.leave();
  }

  async destroy(): Promise<void> {
    await this.#turnstile.close();
    if (!this.#database.isOpen) return;
    // Lets SQLite renew the statistics of tables that have changed much.
    this.#database.exec('PRAGMA optimize');
    this.#database.close();
  }
}

/** One turn at the connection; useless once it has ended, so a forgotten reference can do no harm. */
class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #waitMs: number;
  #ended = false;

  constructor(database: DatabaseSync, statements: Statements, waitMs: number) {
    this.#database = database;
    this.#statements = statements;
    this.#waitMs = waitMs;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    for (let waited = 0; ; waited += BUSY_PAUSE_MS) {
      if (this.#ended) throw new StoreBusyError('the connection was given back already');
      try {
        return this.#statements.execute<R>(sql, parameters);
      } catch (error) {
        // Outside a transaction a busy statement has done nothing yet, BEGIN included. SQLite's own waiting
        // would block the event loop.
        if (!isBusy(error) || this.#database.isTransaction) throw error;
        if (waited >= this.#waitMs) {
          throw new StoreBusyError(`another process kept the database locked for ${this.#waitMs} ms`);
        }
        await pause(BUSY_PAUSE_MS);
      }
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator, and this engine refuses.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming would hold the only connection; read page by page');
  }

  end(): void {
    this.#ended = true;
  }
}

function isBusy(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return false;
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === BUSY;
}
