import { isOneOf } from '../../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { suppressionHash } from '../../suppressions/hash.ts';
import type { Person } from './person.ts';

/** Details that say nothing of a person, and that reports count by. */
const KEPT = ['kind', 'link'];

/**
 * Keeps that something happened, for the reports, and forgets what it says of the person: the words of servers and
 * people, addresses, links made for them.
 */
export async function eraseEvents(
  tx: CampaignsTransaction,
  { store }: Pick<CampaignsPorts, 'store'>,
  { subscriberIds }: Person,
): Promise<void> {
  const isTheirs = isOneOf(store.engine, 'subscriber_id', subscriberIds);
  const rows = await tx
    .selectFrom('mail_events')
    .select('details_json')
    .distinct()
    .where(isTheirs)
    .where('details_json', '!=', '{}')
    .execute();
  for (const { details_json } of rows) {
    const details: Record<string, unknown> = JSON.parse(details_json);
    const kept = Object.entries(details).filter(([name]) => KEPT.includes(name));
    await tx
      .updateTable('mail_events')
      .set({ details_json: JSON.stringify(Object.fromEntries(kept)) })
      .where(isTheirs)
      .where('details_json', '=', details_json)
      .execute();
  }
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
