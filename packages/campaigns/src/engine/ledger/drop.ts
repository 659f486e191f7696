import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { deliveryStates } from '../deliveries.ts';

/** Rows of one transaction (contract, section 6). */
const BATCH = 1_000;

/**
 * Drops what a cancelled campaign had not handed over yet: waiting rows, and claimed ones, whose workers will find
 * that they no longer hold them. What was submitted gets its answer.
 *
 * @param limit of rows; the engine does the rest.
 * @returns how many were dropped.
 */
export async function dropOpenRows(
  ports: CampaignsPorts,
  campaignId: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  let dropped = 0;
  for (const from of deliveryStates.statesBefore('cancel')) {
    for (let moved = BATCH; moved === BATCH && dropped < limit; dropped += moved) {
      moved = await dropBatch(ports, campaignId, from);
    }
  }
  return dropped;
}

function dropBatch({ store, clock }: CampaignsPorts, campaignId: string, from: string): Promise<number> {
  return store.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      UPDATE mail_deliveries SET state = 'cancelled', lease_until_us = NULL, updated_us = ${clock.nowMicroseconds()}
      WHERE delivery_id IN (SELECT delivery_id FROM mail_deliveries
        WHERE campaign_id = ${campaignId} AND state = ${sql.lit(from)} LIMIT ${BATCH}) AND state = ${sql.lit(from)}`.execute(
      tx,
    );
    const moved = Number(numAffectedRows ?? 0n);
    await addToCampaignCounts(tx, campaignId, { [from]: -moved, cancelled: moved });
    return moved;
  });
}
