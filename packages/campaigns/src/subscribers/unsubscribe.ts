import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import { addToListCounts } from '../counts.ts';
import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { insertSuppression } from '../suppressions/rows.ts';
import type { SubscriberStatus, SubscriberTable } from '../tables.ts';
import { emitEvents } from '../webhooks/events.ts';
import { recordEvents } from './events.ts';
import { idsOfAddress, idsOnLists } from './ids-of-address.ts';
import { lockSubscriber, requireThere } from './rows.ts';
import { type SubscriberAnswer, subscriberAnswer } from './shapes.ts';

/** How somebody left. */
export interface Leaving {
  readonly source: 'api' | 'one_click' | 'preferences';
  /** What they, or whoever acts for them, said. */
  readonly reason: string | null;
  /** The campaign whose mail led here. */
  readonly campaignId: string | null;
  /** `context.caller.keyId`, or the id of the subscriber who acts. */
  readonly actor: string;
}

/** A bounce says nothing of what somebody wants; a complaint says more than leaving does, so it stays. */
const LEAVES: readonly SubscriberStatus[] = ['subscribed', 'unconfirmed', 'bounced'];

/**
 * Takes a subscriber off their list; whoever has left already stays as they are.
 *
 * @throws Failure not_found; precondition_failed for somebody who was erased.
 */
export async function unsubscribeSubscriber(
  ports: CampaignsPorts,
  projectId: string,
  subscriberId: string,
  leaving: Leaving,
): Promise<SubscriberAnswer> {
  return ports.store.transaction(async (tx) => {
    const { subscriber } = await lockSubscriber(tx, projectId, subscriberId);
    requireThere(subscriber);
    const [row = subscriber] = await leave(tx, ports, [subscriber], leaving);
    return subscriberAnswer(row);
  });
}

/**
 * What the unsubscribe link of a campaign's mail does: takes the person off all lists the campaign went to. Says
 * nothing of whom it does not know, nor of who has left already.
 */
export async function unsubscribeFromCampaign(
  ports: CampaignsPorts,
  mail: { readonly campaignId: string; readonly subscriberId: string },
  how: Pick<Leaving, 'source' | 'reason'>,
): Promise<void> {
  await ports.store.transaction(async (tx) => {
    const own = await personOf(tx, mail.subscriberId);
    if (!own) return;
    const campaign = await tx
      .selectFrom('mail_campaigns')
      .select('list_ids_json')
      .where('campaign_id', '=', mail.campaignId)
      .where('project_id', '=', own.project_id)
      .executeTakeFirst();
    const listIds = campaign ? (JSON.parse(campaign.list_ids_json) as string[]) : [];
    const rows = await lockPerson(tx, ports, own, [own.list_id, ...listIds]);
    await leave(tx, ports, rows, { ...how, campaignId: mail.campaignId, actor: mail.subscriberId });
  });
}

/** Takes a person off one of the project's lists, by their own wish. */
export async function unsubscribeFromList(
  ports: CampaignsPorts,
  subscriberId: string,
  listId: string,
  how: Pick<Leaving, 'source' | 'reason' | 'campaignId'>,
): Promise<void> {
  await ports.store.transaction(async (tx) => {
    const own = await personOf(tx, subscriberId);
    if (!own) return;
    await leave(tx, ports, await lockPerson(tx, ports, own, [listId]), { ...how, actor: subscriberId });
  });
}

/** What "no mail at all" on the preference page does: off every list, and suppressed in the project (8.7). */
export async function unsubscribeEverywhere(
  ports: CampaignsPorts,
  subscriberId: string,
  how: Pick<Leaving, 'source' | 'reason' | 'campaignId'>,
): Promise<void> {
  await ports.store.transaction(async (tx) => {
    const own = await personOf(tx, subscriberId);
    if (!own) return;
    await insertSuppression(tx, ports, {
      projectId: own.project_id,
      emailKey: own.email_key,
      email: own.email,
      reason: 'unsubscribe',
      source: how.source,
      note: null,
    });
    await leave(tx, ports, await lockPerson(tx, ports, own), { ...how, actor: subscriberId });
  });
}

/** A subscriber by id alone, as tokens have it; nobody for one who was erased. */
export async function personOf(
  tx: CampaignsTransaction,
  subscriberId: string,
): Promise<SubscriberTable | undefined> {
  return tx
    .selectFrom('mail_subscribers')
    .selectAll()
    .where('subscriber_id', '=', subscriberId)
    .where('status', '!=', 'erased')
    .executeTakeFirst();
}

/** A person's rows on these lists, or on all of the project. */
export async function lockPerson(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'store' | 'installationKey'>,
  { project_id, email_key }: Pick<SubscriberTable, 'project_id' | 'email_key'>,
  listIds?: readonly string[],
): Promise<SubscriberTable[]> {
  const ids = listIds
    ? idsOnLists(ports, listIds, email_key)
    : await idsOfAddress(tx, ports, project_id, email_key);
  const query = tx
    .selectFrom('mail_subscribers')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('email_key', '=', email_key)
    .where(isOneOf(ports.store.engine, 'subscriber_id', ids))
    .orderBy('list_id');
  return forUpdate(tx, query).execute();
}

/** @returns the rows that were changed, as they are now. */
async function leave(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  rows: readonly SubscriberTable[],
  { source, reason, campaignId, actor }: Leaving,
): Promise<SubscriberTable[]> {
  const now = ports.clock.nowMicroseconds();
  const left: SubscriberTable[] = [];
  for (const row of rows.filter(({ status }) => LEAVES.includes(status))) {
    const { subscriber_id, project_id: projectId, list_id, email } = row;
    const change = { status: 'unsubscribed', updated_us: now } as const;
    await tx.updateTable('mail_subscribers').set(change).where('subscriber_id', '=', subscriber_id).execute();
    await addToListCounts(tx, list_id, { [row.status]: -1, unsubscribed: 1 });
    // A campaign's report counts people, so one of their lists stands for them.
    const counted = left.length === 0 ? campaignId : null;
    await recordEvents(tx, ports, [
      {
        projectId,
        subscriberId: subscriber_id,
        campaignId: counted,
        type: 'unsubscribed',
        details: { source, reason },
      },
    ]);
    const data = { subscriber_id, list_id, email, campaign_id: campaignId, source, reason };
    await emitEvents(tx, ports, [{ projectId, type: 'subscriber.unsubscribed', data }]);
    await recordAct(tx, ports, {
      actor,
      action: 'unsubscribe_subscriber',
      target: subscriber_id,
      details: { source },
    });
    left.push({ ...row, ...change });
  }
  return left;
}
