import { isOneOf } from '../../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { suppressionHash } from '../../suppressions/hash.ts';
import type { Person } from './person.ts';

/**
 * Keeps that something happened, for the reports, and forgets what it says of the person: the words of servers and
 * people, addresses, links made for them.
 */
export async function eraseEvents(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  { subscriberIds }: Person,
): Promise<void> {
  await tx
    .updateTable('mail_events')
    .set({ details_json: '{}' })
    .where(isOneOf(store.engine, 'subscriber_id', subscriberIds))
    .where('details_json', '!=', '{}')
    .execute();
}

/** Deliveries to webhooks that tell of the person go whole, sent or not. */
export async function eraseWebhookDeliveries(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'installationKey'>,
  { projectId, emailKey }: Person,
): Promise<void> {
  await tx
    .deleteFrom('mail_webhook_deliveries')
    .where('project_id', '=', projectId)
    .where('person', '=', suppressionHash(ports, projectId, emailKey))
    .execute();
}
