import { type Kysely, sql, type Transaction } from 'kysely';
import { DatabaseTooNewError } from './errors.ts';
import type { Engine, Store } from './store.ts';

/** A migration sees the tables of its own time, so it names them freely. */
export type MigrationTables = Record<string, Record<string, unknown>>;

export interface Migration {
  /** `<package>_<four digits>_<what>`, the digits counting up within the package. Never changed once released. */
  readonly name: string;
  up(db: Transaction<MigrationTables>, engine: Engine): Promise<void>;
}

const NAME = /^([a-z]+)_(\d{4})_[a-z0-9_]+$/;

/** Any number will do, as long as every process takes the same. */
const MIGRATION_LOCK = 7_205_759_403;

/**
 * Brings the database up to date: runs, in the order of the list, what it has not seen yet, each in its own
 * transaction together with the note that it ran. Several processes may do so at once.
 *
 * Not Kysely's migrator: that sorts all packages' migrations into one row by name, runs all in one
 * transaction, and none in SQLite.
 *
 * @param migrations of every package there is, the store's own first.
 * @returns the names of those that ran.
 * @throws DatabaseTooNewError when the database knows one that is not in the list; nothing is changed.
 */
export async function migrate<DB>(store: Store<DB>, migrations: readonly Migration[]): Promise<string[]> {
  checkList(migrations);
  const db = store.db as unknown as Kysely<MigrationTables>;
  const ran: string[] = [];
  await inMigrationTransaction(db, store.engine, async (tx) => {
    await sql`CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_us bigint NOT NULL)`.execute(
      tx,
    );
    checkApplied(await appliedNames(tx), migrations);
  });
  for (const migration of migrations) {
    await inMigrationTransaction(db, store.engine, async (tx) => {
      // Looked at again under the lock: another process may have been first.
      const applied = await appliedNames(tx);
      checkApplied(applied, migrations);
      if (applied.has(migration.name)) return;
      await migration.up(tx, store.engine);
      const row = { name: migration.name, applied_us: store.clock.nowMicroseconds() };
      await tx.insertInto('schema_migrations').values(row).execute();
      ran.push(migration.name);
    });
  }
  return ran;
}

function checkList(migrations: readonly Migration[]): void {
  const last = new Map<string, number>();
  for (const { name } of migrations) {
    const [, owner, digits] = NAME.exec(name) ?? [];
    if (owner === undefined) throw new Error(`"${name}" is not a migration's name`);
    if (Number(digits) <= (last.get(owner) ?? 0)) throw new Error(`migration ${name} is out of order`);
    last.set(owner, Number(digits));
  }
}

function checkApplied(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new DatabaseTooNewError(unknown.sort());
}

async function appliedNames(tx: Transaction<MigrationTables>): Promise<Set<string>> {
  const rows = await tx.selectFrom('schema_migrations').select('name').execute();
  return new Set(rows.map((row) => String(row.name)));
}

async function inMigrationTransaction(
  db: Kysely<MigrationTables>,
  engine: Engine,
  work: (tx: Transaction<MigrationTables>) => Promise<void>,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    if (engine === 'postgres') {
      await connection.transaction().execute(async (tx) => {
        // A big table may take its time, and so may the process that holds the lock.
        await sql`SET LOCAL statement_timeout = 0`.execute(tx);
        await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(tx);
        await sql`SELECT pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
        await work(tx);
      });
      return;
    }
    // SQLite changes a table by making it anew; with the checks on, dropping the old one would take along
    // all that refers to it. Nothing inside a transaction can switch them off.
    await sql`PRAGMA foreign_keys = OFF`.execute(connection);
    try {
      await connection.transaction().execute(async (tx) => {
        await work(tx);
        const { rows } = await sql`PRAGMA foreign_key_check`.execute(tx);
        if (rows.length > 0) throw new Error(`${rows.length} rows refer to nothing after the migration`);
      });
    } finally {
      await sql`PRAGMA foreign_keys = ON`.execute(connection);
    }
  });
}
