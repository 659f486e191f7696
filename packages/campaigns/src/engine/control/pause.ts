import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { moveCampaign } from './campaign-state.ts';

/** So few answers say nothing yet (contract, 8.17). */
const LEAST_ANSWERS = 50;

/**
 * Holds a campaign when too many of its answers blame the sender or the content: going on would make it worse. The
 * count begins anew, so that a resume gets its chance.
 */
export async function pauseForErrors(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  campaignId: string,
  { answers, faults }: { readonly answers: number; readonly faults: number },
): Promise<void> {
  if (answers < LEAST_ANSWERS || faults / answers <= ports.config.errorShareToPause) return;
  await moveCampaign(tx, ports, campaignId, 'pause', 'error_share');
  await tx
    .updateTable('mail_campaign_runs')
    .set({ answers: 0, faults: 0 })
    .where('campaign_id', '=', campaignId)
    .execute();
}
