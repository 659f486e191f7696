import { forUpdate } from '@postern/store';
import { addToListCounts } from '../counts.ts';
import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { idsOfAddress } from '../subscribers/ids-of-address.ts';
import { insertSuppression } from '../suppressions/rows.ts';
import type { DeliveryState, SubscriberStatus, SuppressionReason } from '../tables.ts';

/** What a refusal by the recipient's side does to the person, wherever it was heard of. */

export interface Refused {
  readonly projectId: string;
  readonly emailKey: string;
  /** As written in the ledger; null when it is not known any more. */
  readonly email: string | null;
}

type Asking = Pick<CampaignsPorts, 'store' | 'clock' | 'installationKey'>;

/** Statuses that a bounce or a complaint replaces; who had left already stays who they are. */
const REPLACED: readonly SubscriberStatus[] = ['subscribed', 'unconfirmed'];

/**
 * Puts an address on the project's suppression list and sets its status on all lists of the project. What is there
 * already stays: the first reason counts.
 *
 * @param source where it was heard: `smtp`, `dsn`, `arf`, `soft_bounces`.
 */
export async function refuseAddress(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  person: Refused,
  reason: Extract<SuppressionReason, 'hard_bounce' | 'complaint'>,
  source: string,
): Promise<void> {
  const { projectId, emailKey, email } = person;
  await insertSuppression(tx, ports, { projectId, emailKey, email, reason, source, note: null });
  const now = ports.clock.nowMicroseconds();
  await setStatusEverywhere(tx, ports, person, reason === 'complaint' ? 'complained' : 'bounced', now);
}

async function setStatusEverywhere(
  tx: CampaignsTransaction,
  ports: Asking,
  { projectId, emailKey }: Refused,
  status: SubscriberStatus,
  nowUs: number,
): Promise<void> {
  const ids = await idsOfAddress(tx, ports, projectId, emailKey);
  const rows = await forUpdate(
    tx,
    tx
      .selectFrom('mail_subscribers')
      .select(['subscriber_id', 'list_id', 'status'])
      .where(isOneOf(ports.store.engine, 'subscriber_id', ids))
      .where('email_key', '=', emailKey)
      // A complaint says more than a bounce.
      .where('status', 'in', status === 'complained' ? [...REPLACED, 'bounced'] : REPLACED)
      .orderBy('list_id'),
  ).execute();
  for (const row of rows) {
    await tx
      .updateTable('mail_subscribers')
      .set({ status, updated_us: nowUs })
      .where('subscriber_id', '=', row.subscriber_id)
      .execute();
    await addToListCounts(tx, row.list_id, { [row.status]: -1, [status]: 1 });
  }
}

/** Soft bounces in a row, within this time and without a delivery between them, that end in a suppression. */
const SOFT_BOUNCES = 5;
const SOFT_WINDOW_US = 30 * 24 * 3_600 * 1_000_000;

/** Ledger reasons of a mail that came back softly. */
export const SOFT_REASONS: readonly string[] = ['soft_bounce', 'expired'];
/** Of one that came back for good, after it had been sent. */
export const BOUNCED_AFTER_SENDING = 'hard_bounce';

/** What became of a mail, as far as it tells of the mailbox. */
interface Fate {
  /** Of its row; sorts by the time behind its prefix. */
  readonly id: string;
  readonly state: DeliveryState;
  readonly reason: string | null;
}

/** Mails of each ledger that are looked at. */
const MOST_LOOKED_AT = 100;

/**
 * Whether an address has bounced softly too often. Both ledgers are asked, newest mail first: a mail that was sent and
 * did not come back ends the row, anything that says nothing about the mailbox is passed over.
 */
export async function hasBouncedTooOften(
  tx: CampaignsTransaction,
  ports: Asking,
  { projectId, emailKey }: Refused,
): Promise<boolean> {
  const sinceUs = ports.clock.nowMicroseconds() - SOFT_WINDOW_US;
  const ids = await idsOfAddress(tx, ports, projectId, emailKey);
  const ofCampaigns: Fate[] = await tx
    .selectFrom('mail_deliveries')
    .innerJoin('mail_subscribers', 'mail_subscribers.subscriber_id', 'mail_deliveries.subscriber_id')
    .select(['mail_deliveries.delivery_id as id', 'mail_deliveries.state', 'mail_deliveries.reason'])
    .where(isOneOf(ports.store.engine, 'mail_subscribers.subscriber_id', ids))
    .where('mail_subscribers.email_key', '=', emailKey)
    .where('mail_deliveries.state', 'in', ['sent', 'failed'])
    .where('mail_deliveries.updated_us', '>', sinceUs)
    .orderBy('mail_deliveries.delivery_id', 'desc')
    .limit(MOST_LOOKED_AT)
    .execute();
  const single: Fate[] = await tx
    .selectFrom('mail_emails')
    .select(['email_id as id', 'state', 'reason'])
    .where('project_id', '=', projectId)
    .where('email_key', '=', emailKey)
    .where('state', 'in', ['sent', 'failed'])
    .where('updated_us', '>', sinceUs)
    .orderBy('email_id', 'desc')
    .limit(MOST_LOOKED_AT)
    .execute();
  const madeAt = ({ id }: Fate) => id.slice(id.indexOf('_'));
  const newestFirst = [...ofCampaigns, ...single].sort((a, b) => (madeAt(a) < madeAt(b) ? 1 : -1));
  let streak = 0;
  for (const { state, reason } of newestFirst) {
    if (reason !== null && SOFT_REASONS.includes(reason)) streak += 1;
    else if (state === 'sent' && reason === null) break;
    if (streak >= SOFT_BOUNCES) return true;
  }
  return false;
}
