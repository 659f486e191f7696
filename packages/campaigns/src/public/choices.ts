import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts } from '../ports.ts';
import { idsOfAddress } from '../subscribers/ids-of-address.ts';
import { findSuppression } from '../suppressions/rows.ts';
import type { SubscriberStatus } from '../tables.ts';

/** What a person can choose on the public pages. */
export interface Choices {
  /** Those they are on, and the public ones they left. */
  readonly lists: readonly Choice[];
  /** Whether they are suppressed in the project, whatever list they are on. */
  readonly getsNone: boolean;
}

export interface Choice {
  readonly listId: string;
  readonly name: string;
  readonly description: string | null;
  readonly isOn: boolean;
}

/** Nobody is on more; a page has an end. */
const MOST_LISTS = 200;

const ON: readonly SubscriberStatus[] = ['subscribed', 'unconfirmed'];

export async function choicesOf(ports: CampaignsPorts, subscriberId: string): Promise<Choices> {
  const { db } = ports.store;
  const own = await db
    .selectFrom('mail_subscribers')
    .select(['project_id', 'email_key'])
    .where('subscriber_id', '=', subscriberId)
    .where('status', '!=', 'erased')
    .executeTakeFirst();
  if (!own) return { lists: [], getsNone: false };
  const ids = await idsOfAddress(db, ports, own.project_id, own.email_key);
  const rows = await db
    .selectFrom('mail_subscribers')
    .innerJoin('mail_lists', 'mail_lists.list_id', 'mail_subscribers.list_id')
    .select(['mail_lists.list_id', 'mail_lists.name', 'mail_lists.description', 'public', 'status'])
    .where(isOneOf(ports.store.engine, 'subscriber_id', ids))
    .where('email_key', '=', own.email_key)
    .where('mail_lists.deleted_us', 'is', null)
    .where('status', 'in', [...ON, 'unsubscribed'])
    .orderBy('mail_lists.list_id')
    .limit(MOST_LISTS)
    .execute();
  const lists = rows.flatMap(({ list_id, name, description, public: isPublic, status }) => {
    const isOn = ON.includes(status);
    return isOn || isPublic === 1 ? [{ listId: list_id, name, description, isOn }] : [];
  });
  const suppression = await findSuppression(db, ports, own.project_id, own.email_key);
  return { lists, getsNone: suppression !== undefined };
}
