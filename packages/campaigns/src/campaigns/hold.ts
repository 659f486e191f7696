import { recordAct } from '../audit.ts';
import { moveCampaign } from '../engine/control/campaign-state.ts';
import { dropSomeRows } from '../engine/ledger/drop.ts';
import type { CampaignsPorts } from '../ports.ts';
import { counted, quoted } from '../shapes/words.ts';
import { campaignLife } from './lifecycle.ts';
import { findCampaign, lockCampaign, requireState, withCounts, wrongState } from './rows.ts';
import type { CampaignAnswer } from './shapes.ts';

/** Pausing and cancelling. */

/** @throws Failure not_found; precondition_failed with `invalid_state` unless it is running. */
export async function pauseCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  campaignId: string,
): Promise<CampaignAnswer> {
  const { store } = ports;
  await store.transaction(async (tx) => {
    requireState(await lockCampaign(tx, projectId, campaignId), campaignLife.statesBefore('pause'), 'paused');
    await moveCampaign(tx, ports, campaignId, 'pause', 'requested');
    await recordAct(tx, ports, { actor, action: 'pause_campaign', target: campaignId });
  });
  return withCounts(store.db, await findCampaign(store.db, projectId, campaignId));
}

export const cancelOutcomes = ['would_cancel', 'cancelled', 'already_cancelled'] as const;

export interface Cancellation {
  readonly outcome: (typeof cancelOutcomes)[number];
  readonly effect: string;
  readonly campaign: CampaignAnswer;
}

/** Rows of each state that are dropped before the answer, which they must not hold up for others. */
const DROPPED_AT_ONCE = 100;

/**
 * Cancels a campaign for good, or says what that would do. What was handed over already still goes out.
 *
 * @throws Failure not_found; precondition_failed with `invalid_state` when there is nothing to cancel.
 */
export async function cancelCampaign(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  campaignId: string,
  dryRun: boolean,
): Promise<Cancellation> {
  const { store } = ports;
  const cancellable = campaignLife.statesBefore('cancel');
  const before = await store.transaction(async (tx) => {
    const found = await lockCampaign(tx, projectId, campaignId);
    if (found.state !== 'cancelled' && !cancellable.includes(found.state)) {
      throw wrongState(found, cancellable, 'cancelled');
    }
    const answer = await withCounts(tx, found);
    if (!dryRun && found.state !== 'cancelled') {
      await moveCampaign(tx, ports, campaignId, 'cancel', 'requested');
      await recordAct(tx, ports, { actor, action: 'cancel_campaign', target: campaignId });
    }
    return answer;
  });
  const name = quoted(before.name);
  if (before.state === 'cancelled') {
    const effect = `${name} was cancelled before; nothing changes.`;
    return { outcome: 'already_cancelled', effect, campaign: before };
  }
  if (dryRun) {
    const { sent } = before.counts;
    const open = counted(notHandedOver(before), 'mail');
    const effect =
      before.state === 'scheduled'
        ? `Would cancel ${name}, which is scheduled; nothing was sent.`
        : `Would cancel ${name} and drop ${open} not handed over yet; ${counted(sent, 'mail')} sent so far.`;
    return { outcome: 'would_cancel', effect, campaign: before };
  }
  await dropSomeRows(ports, campaignId, DROPPED_AT_ONCE);
  const campaign = await withCounts(store.db, await findCampaign(store.db, projectId, campaignId));
  // Counted anew: mails may have left since, and the audience of a campaign just launched may still grow.
  const dropped = counted(notHandedOver(campaign), 'mail');
  const effect = `Cancelled ${name}; ${dropped} dropped, ${counted(campaign.counts.sent, 'mail')} sent.`;
  return { outcome: 'cancelled', effect, campaign };
}

/** What is dropped by a cancellation: already, or by the engine soon. */
function notHandedOver({ counts }: CampaignAnswer): number {
  return counts.pending + counts.deferred + counts.cancelled;
}
