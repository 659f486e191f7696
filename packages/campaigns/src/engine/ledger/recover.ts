import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import type { DeliveryState } from '../../tables.ts';
import { deliveryStates } from '../deliveries.ts';
import { LEDGERS } from './moves.ts';

/** Rows of one transaction (contract, section 6). */
const BATCH = 1_000;

/**
 * `expired`: of workers whose lease has run out; `all`: of whoever, when it is certain that nobody is at work; or of
 * one worker that is known to have ended.
 */
export type Whose = 'expired' | 'all' | { readonly worker: string };

/**
 * Takes rows back from dead workers: what was only claimed waits again, and of what had been submitted nobody can
 * say whether it arrived, so it is `unknown` and not sent again.
 */
export async function recoverRows(ports: CampaignsPorts, whose: Whose): Promise<void> {
  for (const campaignId of await campaignsWithRowsIn(ports, ['claimed', 'submitted'])) {
    await recoverCampaign(ports, campaignId, whose, 'claimed', 'release');
    await recoverCampaign(ports, campaignId, whose, 'submitted', 'lose');
  }
  await recoverEmails(ports, whose);
}

/** Campaigns whose kept counters say that they have rows in one of the states. */
export async function campaignsWithRowsIn(
  { store }: CampaignsPorts,
  states: readonly DeliveryState[],
): Promise<string[]> {
  const { rows } = await sql<{ campaign_id: string }>`
    SELECT DISTINCT campaign_id FROM mail_campaign_counts
    WHERE total > 0 AND state IN ('pending', 'claimed', 'submitted', 'deferred')
      AND state IN (${sql.join(states.map((state) => sql.lit(state)))})
    ORDER BY campaign_id`.execute(store.db);
  return rows.map((row) => row.campaign_id);
}

function heldBy(whose: Whose, nowUs: number) {
  if (whose === 'all') return sql`true`;
  return whose === 'expired' ? sql`lease_until_us <= ${nowUs}` : sql`claimed_by = ${whose.worker}`;
}

async function recoverCampaign(
  { store, clock }: CampaignsPorts,
  campaignId: string,
  whose: Whose,
  from: 'claimed' | 'submitted',
  event: 'release' | 'lose',
): Promise<void> {
  const to = deliveryStates.next(from, event);
  for (let moved = BATCH; moved === BATCH; ) {
    moved = await store.transaction(async (tx) => {
      const nowUs = clock.nowMicroseconds();
      const isHeld = heldBy(whose, nowUs);
      const rows = await update(tx, 'mail_deliveries', {
        set: event === 'lose' ? lost(nowUs) : released(nowUs),
        where: sql`delivery_id IN (SELECT delivery_id FROM mail_deliveries
          WHERE campaign_id = ${campaignId} AND state = ${sql.lit(from)} AND ${isHeld} LIMIT ${BATCH})
          AND state = ${sql.lit(from)} AND ${isHeld}`,
      });
      await addToCampaignCounts(tx, campaignId, { [from]: -rows, [to]: rows });
      return rows;
    });
  }
}

async function recoverEmails({ store, clock }: CampaignsPorts, whose: Whose): Promise<void> {
  const nowUs = clock.nowMicroseconds();
  const isHeld = heldBy(whose, nowUs);
  const { table } = LEDGERS.email;
  await store.transaction(async (tx) => {
    await update(tx, table, { set: released(nowUs), where: sql`state = 'claimed' AND ${isHeld}` });
    await update(tx, table, { set: lost(nowUs), where: sql`state = 'submitted' AND ${isHeld}` });
  });
}

const released = (nowUs: number) =>
  sql`state = 'pending', claimed_by = NULL, lease_until_us = NULL, updated_us = ${nowUs}`;

/** The worker stays on record: an answer it still gets may tell what became of the mail. */
const lost = (nowUs: number) =>
  sql`state = 'unknown', reason = 'no_answer', attempts = attempts + 1, lease_until_us = NULL, updated_us = ${nowUs}`;

async function update(
  tx: CampaignsTransaction,
  table: string,
  { set, where }: { set: ReturnType<typeof released>; where: ReturnType<typeof released> },
): Promise<number> {
  const { numAffectedRows } = await sql`UPDATE ${sql.table(table)} SET ${set} WHERE ${where}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Prolongs all that a worker holds. */
export async function renewLeases(
  { store, clock }: CampaignsPorts,
  worker: string,
  campaignIds: readonly string[],
  leaseMs: number,
): Promise<void> {
  const until = clock.nowMicroseconds() + leaseMs * 1_000;
  for (const campaignId of campaignIds) {
    await sql`UPDATE mail_deliveries SET lease_until_us = ${until}
      WHERE campaign_id = ${campaignId} AND state IN ('claimed', 'submitted') AND claimed_by = ${worker}`.execute(
      store.db,
    );
  }
  await sql`UPDATE mail_emails SET lease_until_us = ${until}
    WHERE state IN ('claimed', 'submitted') AND claimed_by = ${worker}`.execute(store.db);
}
