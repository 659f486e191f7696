import { forUpdate } from '@postern/store';
import { sql } from 'kysely';
import { addToCampaignCounts } from '../../counts.ts';
import { deliveryStates } from '../../engine/deliveries.ts';
import { isOneOf } from '../../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import type { DeliveryState } from '../../tables.ts';
import type { Person } from './person.ts';

/**
 * Takes a person out of the campaigns' ledgers: rows and counts stay, address and server's words go. Mails that have
 * not left are skipped; a worker that holds one finds that it does not any more.
 *
 * @returns how the address was spelled in them.
 */
export async function eraseDeliveries(
  tx: CampaignsTransaction,
  { store, clock }: Pick<CampaignsPorts, 'store' | 'clock'>,
  { subscriberIds }: Person,
): Promise<Set<string>> {
  const isTheirs = isOneOf(store.engine, 'subscriber_id', subscriberIds);
  const rows = await forUpdate(
    tx,
    tx
      .selectFrom('mail_deliveries')
      .select(['campaign_id', 'email', 'state'])
      .where(isTheirs)
      .orderBy('campaign_id'),
  ).execute();
  if (rows.length === 0) return new Set();
  const waiting: readonly DeliveryState[] = deliveryStates.statesBefore('skip');
  await tx
    .updateTable('mail_deliveries')
    .set({
      email: '',
      email_key: sql<string>`'erased:' || delivery_id`,
      smtp_reply: null,
      updated_us: clock.nowMicroseconds(),
    })
    .where(isTheirs)
    .execute();
  await tx
    .updateTable('mail_deliveries')
    .set({ state: 'skipped', reason: 'erased', lease_until_us: null, claimed_by: null })
    .where(isTheirs)
    .where('state', 'in', waiting)
    .execute();
  for (const { campaign_id, state } of rows.filter((row) => waiting.includes(row.state))) {
    await addToCampaignCounts(tx, campaign_id, { [state]: -1, skipped: 1 });
  }
  return new Set(rows.map((row) => row.email));
}
