/** The store could not be had in time: too many waiters, or one that holds it for too long. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';
}

/** A transaction took longer than its deadline and was rolled back. */
export class TransactionDeadlineError extends Error {
  override readonly name = 'TransactionDeadlineError';
  constructor(milliseconds: number) {
    super(`the transaction was not done within ${milliseconds} ms and was rolled back`);
  }
}

/** A programming error: something that must not be done inside a transaction's callback was. */
export class TransactionMisuseError extends Error {
  override readonly name = 'TransactionMisuseError';
  constructor(what: string) {
    super(
      `${what} was used inside a transaction of the same store; use the transaction the callback was given`,
    );
  }
}

/** The database knows a migration that this version does not. */
export class DatabaseTooNewError extends Error {
  override readonly name = 'DatabaseTooNewError';
  readonly unknownMigrations: readonly string[];
  constructor(unknownMigrations: readonly string[]) {
    super(
      `the database was made by a newer version (it has ${unknownMigrations.join(', ')}, which this one does not know); ` +
        'run that version, or restore a backup made by this one',
    );
    this.unknownMigrations = unknownMigrations;
  }
}

/**
 * Whether the database did not answer in time: no connection to be had, a statement or transaction that took too
 * long, or a lock that was held for too long. A change may still have taken effect.
 */
export function isStorageTimeout(error: unknown): boolean {
  if (error instanceof StoreBusyError || error instanceof TransactionDeadlineError) return true;
  if (typeof error !== 'object' || error === null) return false;
  // PostgreSQL: query_canceled, lock_not_available. SQLite: SQLITE_BUSY with any extension.
  if ('code' in error && (error.code === '57014' || error.code === '55P03')) return true;
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5;
}
