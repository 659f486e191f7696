import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { StoreBusyError } from '../errors.ts';
import type { TransactionScope } from '../scope.ts';
import { busyPause, isBusy, untilFree } from './busy.ts';
import { isEachQuery } from './for-each.ts';
import type { Precedence } from './precedence.ts';
import { Statements } from './statements.ts';
import type { Turnstile } from './turnstile.ts';

/**
 * How long statements may follow each other before the event loop gets a turn. They run at once, so a long
 * row of them would otherwise keep out everything else the process does.
 */
const LONGEST_STRETCH_MS = 10;
/** How many pauses a thread makes, at most, while its process wants to write first. */
const MOST_PAUSES = 100;

/** Lets the process of a thread write first; whoever found the lock taken before it did would come before it else. */
async function hostFirst(precedence: Precedence): Promise<void> {
  for (let pauses = 0; precedence.hasToWait && pauses < MOST_PAUSES; pauses += 1) await busyPause();
}

/** Driver of one SQLite connection that all take in turn. */
export class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #turnstile: Turnstile;
  readonly #precedence: Precedence;
  readonly #scope: TransactionScope;
  readonly #statements: Statements;
  readonly #waitMs: number;
  #stretchSince = performance.now();

  constructor(
    database: DatabaseSync,
    turnstile: Turnstile,
    precedence: Precedence,
    scope: TransactionScope,
    waitMs: number,
  ) {
    this.#database = database;
    this.#turnstile = turnstile;
    this.#precedence = precedence;
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
    return new SqliteConnection(
      this.#database,
      this.#statements,
      this.#turnstile,
      this.#precedence,
      this.#waitMs,
    );
  }

  /** The write lock is taken at once: a transaction that reads first could otherwise not become a writer. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await hostFirst(this.#precedence);
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
    try {
      // Lets SQLite renew the statistics of tables that have changed much.
      this.#database.exec('PRAGMA optimize');
    } catch (error) {
      // Another connection is writing; the last one to close will have its turn.
      if (!isBusy(error)) throw error;
    } finally {
      this.#database.close();
    }
  }
}

/** One turn at the connection; useless once it has ended, so a forgotten reference can do no harm. */
class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #turnstile: Turnstile;
  readonly #precedence: Precedence;
  readonly #waitMs: number;
  /** Whether something was run in this turn, on which what comes next may rely. */
  #hasRun = false;
  #ended = false;

  constructor(
    database: DatabaseSync,
    statements: Statements,
    turnstile: Turnstile,
    precedence: Precedence,
    waitMs: number,
  ) {
    this.#database = database;
    this.#statements = statements;
    this.#turnstile = turnstile;
    this.#precedence = precedence;
    this.#waitMs = waitMs;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql, parameters } = query;
    let stopWaiting: (() => void) | undefined;
    try {
      return await untilFree(
        this.#waitMs,
        () => {
          if (this.#ended) throw new StoreBusyError('the connection was given back already');
          const result = isEachQuery(query)
            ? this.#statements.executeEach<R>(sql, query.rows)
            : this.#statements.execute<R>(sql, parameters);
          this.#hasRun = true;
          return result;
        },
        // Outside a transaction a busy statement has done nothing yet, BEGIN included.
        () => !this.#database.isTransaction,
        () => {
          stopWaiting ??= this.#precedence.wait();
          const rest = async () => {
            await busyPause();
            await hostFirst(this.#precedence);
          };
          // Reads need no lock, so they need not wait for somebody who does.
          return this.#hasRun ? rest() : this.#turnstile.stepAside(rest);
        },
      );
    } finally {
      stopWaiting?.();
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
