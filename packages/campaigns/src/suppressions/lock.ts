import { sql } from 'kysely';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';

/**
 * Keeps erasures and additions of one project apart: whoever adds addresses shares the lock, an erasure has it alone.
 * So nobody is written back by somebody who looked at the suppressions just before. Taken before any row is locked;
 * SQLite has one writer at a time anyway.
 */
export async function lockSuppressions(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  projectId: string,
  mode: 'shared' | 'alone',
): Promise<void> {
  if (store.engine === 'sqlite') return;
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`SELECT ${lock}(hashtextextended(${`suppressions:${projectId}`}, 0))`.execute(tx);
}
