import type { Clock } from '@postern/kit';
import type { Kysely, Transaction } from 'kysely';

export type Engine = 'sqlite' | 'postgres';

/** What the store has to say to the operator; a pino logger fits. */
export interface StoreLog {
  warn(fields: object, message: string): void;
}

/** Bounds of a store. Each has a default that suits one process of the hub. */
export interface StoreLimits {
  /** How long a statement or transaction waits for a connection, in milliseconds. */
  readonly waitMs: number;
  /** How many may wait for a connection at a time; one more is refused at once. */
  readonly maxWaiting: number;
  /** How long a transaction may take before it is rolled back, in milliseconds. */
  readonly transactionMs: number;
  /** How long one statement may run (PostgreSQL), in milliseconds. */
  readonly statementMs: number;
  /** How often a transaction is tried when the database asks for a repeat (PostgreSQL). */
  readonly attempts: number;
  /** Connections of the pool (PostgreSQL). */
  readonly poolSize: number;
}

export const DEFAULT_LIMITS: StoreLimits = {
  waitMs: 30_000,
  maxWaiting: 10_000,
  transactionMs: 30_000,
  statementMs: 30_000,
  attempts: 8,
  poolSize: 10,
};

export interface TransactionOptions {
  /**
   * `read committed` unless said: what a decision rests on must then be locked, by {@link forUpdate} or
   * {@link serialise}. SQLite is always serialisable.
   */
  readonly isolation?: 'read committed' | 'serializable';
}

/**
 * One database, on either engine. `DB` lists the tables its user may name; a store of more tables fits
 * wherever one of fewer is asked for.
 */
export interface Store<DB> {
  readonly engine: Engine;
  /** For the stores that threads of this process open on the same SQLite file, so that they let this one write first. */
  readonly shared: SharedArrayBuffer | undefined;
  /**
   * Whether somebody in this process waits for SQLite's only write lock, or has a moment ago: whoever writes
   * in bulk should make room.
   */
  readonly isAwaited: boolean;
  readonly clock: Clock;
  /** For reads and single statements. Refused inside a transaction's callback, where it would wait for itself. */
  readonly db: Kysely<DB>;
  /**
   * Runs `work` in one transaction, committed when it resolves and rolled back when it rejects. On a
   * conflict with another transaction it is run again, so it may touch nothing but the database.
   *
   * @throws StoreBusyError when no connection is to be had in time.
   * @throws TransactionDeadlineError when `work` takes too long.
   * @throws TransactionMisuseError when called inside another transaction of this store.
   */
  transaction<T>(work: (tx: Transaction<DB>) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Wakes the listeners of a channel in every process on this database. Inside a transaction it goes out
   * after the commit, and not at all after a rollback. It is a hint: one may be lost with a process or a
   * connection, so listeners also look by themselves now and then. Equal ones may arrive as one.
   *
   * @param channel snake_case, at most 63 characters.
   * @param payload at most 7,000 bytes of UTF-8.
   */
  notify(channel: string, payload?: string): void;
  /**
   * Calls back on every notification of the channel, also those of this process, and with an empty payload
   * after a connection was lost and found again, as something may have been missed meanwhile.
   *
   * @returns the function that stops it.
   */
  listen(channel: string, onNotify: (payload: string) => void): () => void;
  /**
   * Holds `name` for the whole store, in every process on it, or gives undefined when somebody has it.
   * It is free again when released, when the process dies, or when its connection is lost; the signal of
   * the held lease tells the last.
   */
  tryLease(name: string): Promise<HeldLease | undefined>;
  /** Writes a consistent copy of the database to a new file while it is in use. SQLite only. */
  backup(file: string): Promise<void>;
  /** Waits for what runs, then closes. Later use rejects. */
  close(): Promise<void>;
}

export interface HeldLease {
  /** Aborted when the lease is lost: stop at once, another process may hold it already. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}
