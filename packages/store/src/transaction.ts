import type { ControlledTransaction, Kysely, Transaction } from 'kysely';
import { TransactionDeadlineError } from './errors.ts';
import { backoffMilliseconds, pause, withDeadline } from './pause.ts';
import type { TransactionScope } from './scope.ts';
import type { StoreLimits, StoreLog, TransactionOptions } from './store.ts';

interface Setting<DB> {
  readonly db: Kysely<DB>;
  readonly scope: TransactionScope;
  readonly limits: StoreLimits;
  readonly log: StoreLog | undefined;
  /** PostgreSQL takes an isolation level; SQLite has but one. */
  readonly isolationLevels: boolean;
}

/** Runs `work` in one transaction; see {@link Store.transaction}. */
export async function runTransaction<DB, T>(
  setting: Setting<DB>,
  work: (tx: Transaction<DB>) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  setting.scope.assertOutside('store.transaction');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(setting, work, options);
    } catch (error) {
      if (attempt >= setting.limits.attempts || !asksForRepeat(error)) throw error;
      await pause(backoffMilliseconds(attempt, 20, 1_000));
    }
  }
}

async function runOnce<DB, T>(
  { db, scope, limits, log, isolationLevels }: Setting<DB>,
  work: (tx: Transaction<DB>) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const begin = db.startTransaction();
  const tx = await (isolationLevels
    ? begin.setIsolationLevel(options.isolation ?? 'read committed')
    : begin
  ).execute();
  let done: Awaited<ReturnType<typeof scope.run<T>>>;
  try {
    const running = scope.run(() => work(tx));
    const late = () => new TransactionDeadlineError(limits.transactionMs);
    done = await withDeadline(limits.transactionMs, running, late);
  } catch (error) {
    await rollBack(tx, log);
    throw error;
  }
  try {
    await tx.commit().execute();
  } catch (error) {
    if (!tx.isCommitted && !tx.isRolledBack) await rollBack(tx, log);
    throw error;
  }
  for (const act of done.afterCommit) act();
  return done.result;
}

/** A rollback that fails leaves nothing behind either: the connection is thrown away by the driver. */
async function rollBack<DB>(tx: ControlledTransaction<DB>, log: StoreLog | undefined): Promise<void> {
  try {
    await tx.rollback().execute();
  } catch (error) {
    log?.warn({ err: error }, 'a transaction could not be rolled back; its connection is dropped');
  }
}

/** Serialisation failure and deadlock: the standard says to run the whole transaction again. */
function asksForRepeat(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === '40001' || code === '40P01';
}
