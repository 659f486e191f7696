import type { CampaignsPorts } from '../ports.ts';

/** Who a mail came from as its readers know them: the name of the project; null once the campaign is gone. */
export async function senderNameOf({ store }: CampaignsPorts, campaignId: string): Promise<string | null> {
  const row = await store.db
    .selectFrom('mail_campaigns')
    .innerJoin('mail_projects', 'mail_projects.project_id', 'mail_campaigns.project_id')
    .select('mail_projects.name')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst();
  return row?.name ?? null;
}
