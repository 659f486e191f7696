import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { QueryResult } from 'kysely';

/** Statements kept prepared; lists of changing length would make more without end. */
const CAPACITY = 512;

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

/** Runs statements on one connection, keeping those used last prepared. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(sql);
    const bound = parameters.map(toInput);
    if (returnsRows) {
      const rows = statement.all(...bound) as R[];
      return { rows, numAffectedRows: BigInt(rows.length) };
    }
    const { changes } = statement.run(...bound);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  /** Runs it once for each row of parameters; rows that it returns are not kept. */
  executeEach<R>(sql: string, rows: readonly (readonly unknown[])[]): QueryResult<R> {
    const { statement } = this.#prepare(sql);
    let affected = 0n;
    for (const row of rows) affected += BigInt(statement.run(...row.map(toInput)).changes);
    return { rows: [], numAffectedRows: affected };
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) {
      // Moves it to the end, so that the first in the map is the one not used for longest.
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const fresh = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, fresh);
    if (this.#prepared.size > CAPACITY) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    return fresh;
  }
}

/**
 * Whole numbers are bound as integers. Left alone they would go in as floating point, which shows where
 * no column's affinity turns them back: `'n' || 5` would be `n5.0`, and `7 / 2` would be 3.5.
 */
function toInput(value: unknown): SQLInputValue {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return value as SQLInputValue;
}
