import { CompiledQuery, type Transaction } from 'kysely';
import { bearingOf } from '../adapter.ts';

/** A statement that is to be run once for each of these rows of parameters. */
export interface EachQuery extends CompiledQuery {
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Runs one statement, with `?` for its parameters, once for each row of them. On SQLite that is faster than one
 * statement with the values of all, of which it makes a table first. It does not let the event loop go meanwhile:
 * many rows belong on a thread.
 *
 * @throws Error on PostgreSQL, which is given the values of all rows at once.
 */
export async function forEachRow<DB>(
  tx: Transaction<DB>,
  sql: string,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  if (bearingOf(tx).engine !== 'sqlite') throw new Error('only SQLite runs a statement row by row');
  const query: EachQuery = { ...CompiledQuery.raw(sql), rows };
  await tx.executeQuery(query);
}

export function isEachQuery(query: CompiledQuery): query is EachQuery {
  return 'rows' in query;
}
