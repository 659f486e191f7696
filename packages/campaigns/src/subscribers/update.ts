import { recordAct } from '../audit.ts';
import type { CampaignsPorts } from '../ports.ts';
import { lockSuppressions } from '../suppressions/lock.ts';
import { findSuppression } from '../suppressions/rows.ts';
import { suppressed } from './add.ts';
import { applyEntries } from './apply.ts';
import { askToConfirm, confirmationFaults } from './confirmation-mail.ts';
import type { Given } from './plan.ts';
import { lockSubscriber, requireSubscriber, requireThere } from './rows.ts';
import { type SubscriberAnswer, subscriberAnswer } from './shapes.ts';
import { tooLarge } from './too-large.ts';

export interface SubscriberPatch extends Given {
  readonly resubscribe: boolean;
  readonly evidence?: string | undefined;
}

/**
 * Changes what is given, and takes back somebody who left when there is evidence that they want to.
 *
 * @throws Failure not_found; precondition_failed for somebody who was erased, and for taking back a suppressed
 *   address; validation_failed when attributes become too many.
 */
export async function updateSubscriber(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  subscriberId: string,
  { resubscribe, evidence, ...given }: SubscriberPatch,
): Promise<SubscriberAnswer> {
  const { db } = ports.store;
  const { list: before } = await requireSubscriber(db, projectId, subscriberId);
  const faults = resubscribe ? await confirmationFaults(ports, before) : [];
  return ports.store.transaction(async (tx) => {
    await lockSuppressions(tx, ports, projectId, 'shared');
    const { subscriber, list } = await lockSubscriber(tx, projectId, subscriberId);
    requireThere(subscriber);
    if (resubscribe) {
      const suppression = await findSuppression(tx, ports, projectId, subscriber.email_key);
      if (suppression) throw suppressed(suppression.reason);
    }
    const entry = { subscriberId, email: subscriber.email ?? '', emailKey: subscriber.email_key, given };
    const terms = {
      list,
      source: 'api',
      resubscribe,
      evidence: evidence ?? null,
      asksToConfirm: resubscribe,
    } as const;
    const plan = (await applyEntries(tx, ports, terms, [entry])).get(subscriberId);
    if (plan === undefined || plan.outcome === 'too_large') throw tooLarge();
    if (plan.asks) await askToConfirm(tx, ports, list, plan.row, faults);
    if (plan.outcome !== 'unchanged') {
      const details = { fields: Object.keys(given), ...(resubscribe ? { resubscribe } : {}) };
      await recordAct(tx, ports, { actor, action: 'update_subscriber', target: subscriberId, details });
    }
    return subscriberAnswer(plan.row);
  });
}
