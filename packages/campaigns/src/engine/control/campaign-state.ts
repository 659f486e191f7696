import { type CampaignEvent, campaignLife, type StateReason } from '../../campaigns/lifecycle.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { emitEvents, type WebhookEvent } from '../../webhooks/events.ts';
import { ENGINE_CHANNEL } from './channels.ts';

/** What webhooks hear of a campaign's moves. */
const EVENTS: Partial<Record<CampaignEvent, WebhookEvent>> = {
  finish: 'campaign.finished',
  pause: 'campaign.paused',
  fail: 'campaign.failed',
};

/**
 * Moves a campaign by its table, unless it has meanwhile gone where the event can't be, and tells webhooks.
 *
 * @returns whether it moved.
 */
export async function moveCampaign(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  campaignId: string,
  event: CampaignEvent,
  reason: StateReason | null,
): Promise<boolean> {
  const now = ports.clock.nowMicroseconds();
  for (const from of campaignLife.statesBefore(event)) {
    const to = campaignLife.next(from, event);
    const moved = await tx
      .updateTable('mail_campaigns')
      .set({
        state: to,
        state_reason: reason,
        updated_us: now,
        ...(event === 'start' ? { launched_us: now } : {}),
        ...(campaignLife.isFinal(to) ? { finished_us: now } : {}),
      })
      .where('campaign_id', '=', campaignId)
      .where('state', '=', from)
      .returning(['project_id', 'name'])
      .executeTakeFirst();
    if (!moved) continue;
    const type = EVENTS[event];
    if (type) {
      await emitEvents(tx, ports, [
        {
          projectId: moved.project_id,
          type,
          data: { campaign_id: campaignId, name: moved.name, state: to, reason },
        },
      ]);
    }
    ports.store.notify(ENGINE_CHANNEL, campaignId);
    return true;
  }
  return false;
}
