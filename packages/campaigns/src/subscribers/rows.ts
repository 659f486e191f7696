import { problem } from '@postern/http';
import { forUpdate } from '@postern/store';
import type { CampaignsDatabase } from '../engine/ports.ts';
import type { CampaignsTransaction } from '../ports.ts';
import type { ListTable, SubscriberTable } from '../tables.ts';

/** A subscriber and their list. */
export interface OnList {
  readonly subscriber: SubscriberTable;
  readonly list: ListTable;
}

/** @throws Failure not_found, also for one whose list was deleted. */
export async function requireSubscriber(
  db: CampaignsDatabase,
  projectId: string,
  subscriberId: string,
): Promise<OnList> {
  const subscriber = await ofProject(db, projectId, subscriberId).executeTakeFirst();
  return onList(db, subscriber, subscriberId);
}

/** The same, for a change. @throws Failure not_found. */
export async function lockSubscriber(
  tx: CampaignsTransaction,
  projectId: string,
  subscriberId: string,
): Promise<OnList> {
  const subscriber = await forUpdate(tx, ofProject(tx, projectId, subscriberId)).executeTakeFirst();
  return onList(tx, subscriber, subscriberId);
}

/** @throws Failure precondition_failed for somebody who was erased. */
export function requireThere({ status }: SubscriberTable): void {
  if (status !== 'erased') return;
  const message = 'was erased, and nothing is left of it to change';
  throw problem('precondition_failed', `The subscriber ${message}.`, {
    violations: [{ field: 'subscriber_id', code: 'invalid_state', message }],
  });
}

function ofProject(db: CampaignsDatabase, projectId: string, subscriberId: string) {
  return db
    .selectFrom('mail_subscribers')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('subscriber_id', '=', subscriberId);
}

async function onList(
  db: CampaignsDatabase,
  subscriber: SubscriberTable | undefined,
  subscriberId: string,
): Promise<OnList> {
  const list =
    subscriber &&
    (await db
      .selectFrom('mail_lists')
      .selectAll()
      .where('list_id', '=', subscriber.list_id)
      .where('deleted_us', 'is', null)
      .executeTakeFirst());
  if (subscriber && list) return { subscriber, list };
  throw problem('not_found', `There is no subscriber ${subscriberId} in this project.`);
}
