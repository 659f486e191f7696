import { sql } from 'kysely';
import type { CampaignsPorts } from '../../ports.ts';
import type { EmailTable } from '../../tables.ts';
import { LEASE_MS } from './claim.ts';

/** Takes single e-mails that are due, oldest first, for the length of a lease. */
export async function claimEmails(
  { store, clock }: CampaignsPorts,
  worker: string,
  limit: number,
): Promise<EmailTable[]> {
  const now = clock.nowMicroseconds();
  // There seldom is one, and an UPDATE takes SQLite's only write lock even to find that out.
  const due = await store.db
    .selectFrom('mail_emails')
    .select('email_id')
    .where('state', 'in', ['pending', 'deferred'])
    .where('due_us', '<=', now)
    .limit(1)
    .executeTakeFirst();
  if (due === undefined) return [];
  const locking = store.engine === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  const claimed: EmailTable[] = [];
  for (const state of ['pending', 'deferred']) {
    const { rows } = await sql<EmailTable>`
      WITH due AS MATERIALIZED (
        SELECT email_id FROM mail_emails WHERE state = ${sql.lit(state)} AND due_us <= ${now}
        ORDER BY due_us LIMIT ${limit - claimed.length} ${locking})
      UPDATE mail_emails SET state = 'claimed', claimed_by = ${worker}, lease_until_us = ${now + LEASE_MS * 1_000},
        updated_us = ${now}
      WHERE email_id IN (SELECT email_id FROM due) RETURNING *`.execute(store.db);
    claimed.push(...rows);
    if (claimed.length >= limit) break;
  }
  return claimed;
}
