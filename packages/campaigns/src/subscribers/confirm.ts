import { recordAct } from '../audit.ts';
import { addToListCounts } from '../counts.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { lockSuppressions } from '../suppressions/lock.ts';
import { findSuppression } from '../suppressions/rows.ts';
import type { ListTable, SubscriberTable } from '../tables.ts';
import { recordEvents, type SubscriberEvent } from './events.ts';
import type { ConsentSource } from './shapes.ts';
import { lockPerson, personOf } from './unsubscribe.ts';

/** What people say of themselves on the public pages, where a signed address shows who they are. */

export type Confirmation =
  /** `confirmed` now, or `subscribed` before. */
  | { readonly outcome: 'confirmed' | 'subscribed'; readonly list: ListTable }
  /** They have left since, or may not be mailed: an old link does not bring anybody back. */
  | { readonly outcome: 'left' }
  /** There is no such subscriber, or no such list, any more. */
  | { readonly outcome: 'gone' };

/**
 * Confirms a subscription to a double opt-in list, as its confirmation mail asked. Repeats are harmless.
 *
 * @param evidence what shows that it was them, kept with the consent: the address and the browser it came from.
 */
export async function confirmSubscriber(
  ports: CampaignsPorts,
  subscriberId: string,
  evidence: string | null,
): Promise<Confirmation> {
  return ports.store.transaction(async (tx) => {
    const person = await personOf(tx, subscriberId);
    if (!person) return { outcome: 'gone' };
    await lockSuppressions(tx, ports, person.project_id, 'shared');
    const found = await lockOnList(tx, ports, person, person.list_id);
    if (!found) return { outcome: 'gone' };
    const { subscriber, list } = found;
    if (subscriber.status === 'subscribed') return { outcome: 'subscribed', list };
    if (subscriber.status !== 'unconfirmed') return { outcome: 'left' };
    if (await findSuppression(tx, ports, subscriber.project_id, subscriber.email_key)) {
      return { outcome: 'left' };
    }
    await subscribe(tx, ports, subscriber, 'confirmation', evidence, 'confirmed');
    return { outcome: 'confirmed', list };
  });
}

/**
 * Puts a person back on a list they left, as they ask on the preference page; a list they never were on is none of
 * theirs to choose. Takes away a suppression that they put there on that page, and no other.
 *
 * @returns false when they can't be put back.
 */
export async function subscribeAgain(
  ports: CampaignsPorts,
  subscriberId: string,
  listId: string,
  evidence: string | null,
): Promise<boolean> {
  return ports.store.transaction(async (tx) => {
    const person = await personOf(tx, subscriberId);
    if (!person) return false;
    await lockSuppressions(tx, ports, person.project_id, 'shared');
    const found = await lockOnList(tx, ports, person, listId);
    if (!found) return false;
    const { subscriber } = found;
    const suppression = await findSuppression(tx, ports, subscriber.project_id, subscriber.email_key);
    if (suppression && !(suppression.reason === 'unsubscribe' && suppression.source === 'preferences')) {
      return false;
    }
    if (suppression) {
      await tx
        .deleteFrom('mail_suppressions')
        .where('suppression_id', '=', suppression.suppression_id)
        .execute();
    }
    if (subscriber.status === 'subscribed') return true;
    if (subscriber.status !== 'unsubscribed' && subscriber.status !== 'unconfirmed') return false;
    await subscribe(tx, ports, subscriber, 'preferences', evidence, 'resubscribed');
    return true;
  });
}

async function lockOnList(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  person: SubscriberTable,
  listId: string,
): Promise<{ subscriber: SubscriberTable; list: ListTable } | null> {
  const [subscriber] = await lockPerson(tx, ports, person, [listId]);
  const list = await tx
    .selectFrom('mail_lists')
    .selectAll()
    .where('list_id', '=', listId)
    .where('deleted_us', 'is', null)
    .executeTakeFirst();
  return subscriber && list ? { subscriber, list } : null;
}

async function subscribe(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  row: SubscriberTable,
  source: ConsentSource,
  evidence: string | null,
  type: SubscriberEvent['type'],
): Promise<void> {
  const now = ports.clock.nowMicroseconds();
  await tx
    .updateTable('mail_subscribers')
    .set({
      status: 'subscribed',
      consent_source: source,
      consent_at_us: now,
      consent_evidence: evidence,
      updated_us: now,
    })
    .where('subscriber_id', '=', row.subscriber_id)
    .execute();
  await addToListCounts(tx, row.list_id, { [row.status]: -1, subscribed: 1 });
  const { project_id: projectId, subscriber_id: subscriberId } = row;
  await recordEvents(tx, ports, [{ projectId, subscriberId, type, details: { source, from: row.status } }]);
  await recordAct(tx, ports, {
    actor: subscriberId,
    action: type === 'confirmed' ? 'confirm_subscriber' : 'subscribe_again',
    target: subscriberId,
  });
}
