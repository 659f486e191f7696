import { problem } from '@postern/http';
import { parseAddress } from '@postern/mail';
import { recordAct } from '../audit.ts';
import { requireList } from '../lists/lists.ts';
import type { CampaignsPorts } from '../ports.ts';
import { lockSuppressions } from '../suppressions/lock.ts';
import { findSuppression } from '../suppressions/rows.ts';
import type { SuppressionReason } from '../tables.ts';
import { applyEntries } from './apply.ts';
import { askToConfirm, confirmationFaults } from './confirmation-mail.ts';
import { subscriberIdOf } from './id.ts';
import type { Given } from './plan.ts';
import { type SubscriberAnswer, subscriberAnswer } from './shapes.ts';
import { tooLarge } from './too-large.ts';

export interface NewSubscriber extends Given {
  readonly email: string;
  readonly resubscribe: boolean;
  readonly evidence?: string | undefined;
}

/**
 * Puts an address on a list; one that is there already keeps its consent and takes over what is given.
 *
 * @returns `created` false for one that was there.
 * @throws Failure not_found for the list; precondition_failed for a suppressed address, and on a double opt-in list
 *   whose confirmation mail could not leave.
 */
export async function addSubscriber(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  listId: string,
  { email, resubscribe, evidence, ...given }: NewSubscriber,
): Promise<{ created: boolean; subscriber: SubscriberAnswer }> {
  const address = parseAddress(email);
  if (address.fault !== undefined) throw new Error('the address was not checked');
  const subscriberId = subscriberIdOf(ports, listId, address.key);
  const { db } = ports.store;
  const faults = await confirmationFaults(ports, await requireList(db, projectId, listId));
  return ports.store.transaction(async (tx) => {
    await lockSuppressions(tx, ports, projectId, 'shared');
    const list = await requireList(tx, projectId, listId);
    const suppression = await findSuppression(tx, ports, projectId, address.key);
    if (suppression) throw suppressed(suppression.reason);
    const entry = { subscriberId, email: address.typed, emailKey: address.key, given };
    const terms = {
      list,
      source: 'api',
      resubscribe,
      evidence: evidence ?? null,
      asksToConfirm: true,
    } as const;
    const plan = (await applyEntries(tx, ports, terms, [entry])).get(subscriberId);
    if (plan === undefined || plan.outcome === 'too_large') throw tooLarge();
    if (plan.asks) await askToConfirm(tx, ports, list, plan.row, faults);
    if (plan.outcome !== 'unchanged') {
      await recordAct(tx, ports, {
        actor,
        action: 'add_subscriber',
        target: subscriberId,
        details: { outcome: plan.outcome },
      });
    }
    return { created: plan.outcome === 'created', subscriber: subscriberAnswer(plan.row) };
  });
}

/** Why nobody with this address can be added. */
export function suppressed(reason: SuppressionReason) {
  const why = reason === 'erased' ? 'its owner was erased' : `reason ${reason}`;
  const message = `is suppressed in this project (${why}); remove_suppression takes that away`;
  return problem('precondition_failed', `The address ${message}.`, {
    violations: [{ field: 'email', code: 'invalid_state', message }],
  });
}
