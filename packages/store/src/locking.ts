import { type Kysely, type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { bearingOf } from './adapter.ts';

/**
 * Locks the rows a query reads until the transaction ends, so that what is decided on them still holds at
 * the commit. SQLite has one writer at a time anyway.
 */
export function forUpdate<DB, T extends keyof DB, O>(
  tx: Transaction<DB>,
  query: SelectQueryBuilder<DB, T, O>,
): SelectQueryBuilder<DB, T, O> {
  return bearingOf(tx).engine === 'postgres' ? query.forUpdate() : query;
}

/**
 * Lets only one transaction at a time, in all processes, past this point with this name; the others wait
 * until it has ended. For what no row stands for yet: "the next number of this channel".
 */
export async function serialise<DB>(tx: Transaction<DB>, name: string): Promise<void> {
  if (bearingOf(tx).engine === 'sqlite') return;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`serialise:${name}`}, 0))`.execute(
    tx as Kysely<DB>,
  );
}
