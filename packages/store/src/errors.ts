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
