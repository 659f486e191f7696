import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { bulkRows, giveWay } from '../../workers/bulk.ts';
import { workerTask } from '../../workers/task.ts';
import { deliveryStates } from '../deliveries.ts';

/**
 * Drops what a cancelled campaign had not handed over yet: waiting rows, and claimed ones, whose workers will find
 * that they no longer hold them. What was submitted gets its answer.
 *
 * @returns how many were dropped; the signal stops it between two batches.
 */
export async function dropOpenRows(
  ports: CampaignsPorts,
  campaignId: string,
  signal?: AbortSignal,
): Promise<number> {
  let dropped = 0;
  for (const from of deliveryStates.statesBefore('cancel')) {
    for (let isMore = true; isMore && signal?.aborted !== true; ) {
      const batch = bulkRows(ports.store);
      const moved = await dropBatch(ports, campaignId, from, batch);
      dropped += moved;
      isMore = moved === batch;
      if (isMore) await giveWay(ports.store);
    }
  }
  return dropped;
}

/** The same off the event loop. */
export const dropTask = workerTask(
  import.meta.url,
  'dropTask',
  (ports, { campaignId }: { readonly campaignId: string }, signal): Promise<number> =>
    dropOpenRows(ports, campaignId, signal),
);

/**
 * Drops at most so many rows in one transaction, for an answer that should show a small campaign as it will be; the
 * engine drops the rest.
 */
export async function dropSomeRows(ports: CampaignsPorts, campaignId: string, most: number): Promise<void> {
  for (const from of deliveryStates.statesBefore('cancel')) await dropBatch(ports, campaignId, from, most);
}

/** @param most rows of the transaction: 1,000 at most (contract, section 6). */
function dropBatch(
  { store, clock }: CampaignsPorts,
  campaignId: string,
  from: string,
  most: number,
): Promise<number> {
  return store.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      UPDATE mail_deliveries SET state = 'cancelled', lease_until_us = NULL, updated_us = ${clock.nowMicroseconds()}
      WHERE delivery_id IN (SELECT delivery_id FROM mail_deliveries
        WHERE campaign_id = ${campaignId} AND state = ${sql.lit(from)} LIMIT ${most}) AND state = ${sql.lit(from)}`.execute(
      tx,
    );
    const moved = Number(numAffectedRows ?? 0n);
    await addToCampaignCounts(tx, campaignId, { [from]: -moved, cancelled: moved });
    return moved;
  });
}
