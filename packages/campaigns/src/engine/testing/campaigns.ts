import type { CampaignsPorts } from '../../ports.ts';
import { suppressionHash } from '../../suppressions/hash.ts';
import type { CampaignTable, DeliveryTable, SuppressionReason } from '../../tables.ts';

/** A campaign as a launch leaves it; every column has a default. */
export async function makeCampaign(
  { store, clock, newId }: CampaignsPorts,
  projectId: string,
  listIds: readonly string[],
  row: Partial<CampaignTable> = {},
): Promise<CampaignTable> {
  const now = clock.nowMicroseconds();
  const campaign: CampaignTable = {
    campaign_id: newId('cmp'),
    project_id: projectId,
    name: 'Spring',
    list_ids_json: JSON.stringify(listIds),
    segment_id: null,
    from_name: 'News',
    from_email: 'news@example.com',
    reply_to: null,
    subject: 'Hello',
    preheader: null,
    template_id: null,
    html: '<p>Hello {{ subscriber.name }}</p><a href="{{ unsubscribe_url }}">Leave</a>',
    text: 'Hello {{ subscriber.name }}\n{{ unsubscribe_url }}',
    tracking_opens: 'off',
    tracking_clicks: 'off',
    send_at_us: null,
    max_lateness_seconds: 3_600,
    strict_variables: 0,
    rate_per_second: null,
    state: 'running',
    state_reason: null,
    frozen_us: null,
    content_json: null,
    launched_us: now,
    finished_us: null,
    created_us: now,
    updated_us: now,
    ...row,
  };
  await store.db.insertInto('mail_campaigns').values(campaign).execute();
  return campaign;
}

export async function makeSuppression(
  ports: CampaignsPorts,
  projectId: string,
  emailKey: string,
  reason: SuppressionReason = 'manual',
): Promise<void> {
  const { store, clock, newId } = ports;
  await store.db
    .insertInto('mail_suppressions')
    .values({
      suppression_id: newId('sup'),
      project_id: projectId,
      email: emailKey,
      email_hash: suppressionHash(ports, projectId, emailKey),
      reason,
      source: 'test',
      note: null,
      created_us: clock.nowMicroseconds(),
    })
    .execute();
}

/** The ledger of a campaign, by canonical address. */
export async function ledgerOf(
  { store }: CampaignsPorts,
  campaignId: string,
): Promise<Map<string, DeliveryTable>> {
  const rows = await store.db
    .selectFrom('mail_deliveries')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .execute();
  return new Map(rows.map((row) => [row.email_key, row]));
}

/** The kept counters, without those that are zero. */
export async function countsOf(
  { store }: CampaignsPorts,
  campaignId: string,
): Promise<Record<string, number>> {
  const rows = await store.db
    .selectFrom('mail_campaign_counts')
    .select(['state', 'total'])
    .where('campaign_id', '=', campaignId)
    .where('total', '!=', 0)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.state, row.total]));
}

/** What the counters should be. */
export function tally(rows: Iterable<DeliveryTable>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
