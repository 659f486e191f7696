import type { CampaignsPorts } from '../../ports.ts';
import type { CampaignTable } from '../../tables.ts';
import type { Launcher } from '../ports.ts';
import { moveCampaign } from './campaign-state.ts';

/** Starts scheduled campaigns whose time has come; those that are too late stay where they are and say so. */
export async function startDue(ports: CampaignsPorts, launcher: Launcher): Promise<void> {
  const now = ports.clock.nowMicroseconds();
  const due = await ports.store.db
    .selectFrom('mail_campaigns')
    .selectAll()
    .where('state', '=', 'scheduled')
    .where('send_at_us', '<=', now)
    .where((where) =>
      where.or([where('state_reason', 'is', null), where('state_reason', '!=', 'missed_send_time')]),
    )
    .orderBy('send_at_us')
    .limit(100)
    .execute();
  for (const campaign of due) {
    try {
      if (isTooLate(campaign, now)) await noteMissed(ports, campaign);
      else await start(ports, launcher, campaign);
    } catch (error) {
      ports.log.error(
        { err: error, campaignId: campaign.campaign_id },
        'a due campaign could not be started',
      );
    }
  }
}

function isTooLate({ send_at_us, max_lateness_seconds }: CampaignTable, nowUs: number): boolean {
  return send_at_us !== null && nowUs - send_at_us > max_lateness_seconds * 1_000_000;
}

/** Nobody wants yesterday's news by surprise: a person has to launch it again. */
async function noteMissed({ store, clock, log }: CampaignsPorts, campaign: CampaignTable): Promise<void> {
  await store.db
    .updateTable('mail_campaigns')
    .set({ state_reason: 'missed_send_time', updated_us: clock.nowMicroseconds() })
    .where('campaign_id', '=', campaign.campaign_id)
    .where('state', '=', 'scheduled')
    .where('send_at_us', '=', campaign.send_at_us)
    .execute();
  log.warn({ campaignId: campaign.campaign_id }, 'a scheduled campaign missed its time and was not sent');
}

async function start(ports: CampaignsPorts, launcher: Launcher, campaign: CampaignTable): Promise<void> {
  const ready = await launcher.prepare(campaign);
  await ports.store.transaction(async (tx) => {
    const content_json = 'unfit' in ready ? campaign.content_json : ready.contentJson;
    // Edited, cancelled or started meanwhile: then it is not this one any more.
    const { numUpdatedRows } = await tx
      .updateTable('mail_campaigns')
      .set({ content_json })
      .where('campaign_id', '=', campaign.campaign_id)
      .where('state', '=', 'scheduled')
      .where('updated_us', '=', campaign.updated_us)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    if ('unfit' in ready) await moveCampaign(tx, ports, campaign.campaign_id, 'fail', ready.unfit);
    else await moveCampaign(tx, ports, campaign.campaign_id, 'start', null);
  });
}
