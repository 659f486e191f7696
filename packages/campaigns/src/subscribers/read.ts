import { problem } from '@postern/http';
import { parseAddress } from '@postern/mail';
import { sql } from 'kysely';
import { requireList } from '../lists/lists.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import type { SubscriberStatus, SubscriberTable } from '../tables.ts';
import { runInTime } from '../workers/in-time.ts';
import { subscriberIdOf } from './id.ts';
import { requireSubscriber } from './rows.ts';
import { type Search, searchTask } from './search.ts';
import { type SubscriberAnswer, subscriberAnswer } from './shapes.ts';

/** A subscriber, an erased one too. @throws Failure not_found. */
export async function getSubscriber(
  { store }: CampaignsPorts,
  projectId: string,
  subscriberId: string,
): Promise<SubscriberAnswer> {
  return subscriberAnswer((await requireSubscriber(store.db, projectId, subscriberId)).subscriber);
}

/** The subscriber with an address. @throws Failure not_found, also for one who was erased. */
export async function findSubscriber(
  ports: CampaignsPorts,
  projectId: string,
  listId: string,
  email: string,
): Promise<SubscriberAnswer> {
  await requireList(ports.store.db, projectId, listId);
  const address = parseAddress(email);
  const row =
    address.fault === undefined
      ? await ports.store.db
          .selectFrom('mail_subscribers')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('subscriber_id', '=', subscriberIdOf(ports, listId, address.key))
          .where('status', '!=', 'erased')
          .executeTakeFirst()
      : undefined;
  if (row) return subscriberAnswer(row);
  throw problem('not_found', 'There is no subscriber with this address on the list.');
}

export interface SubscriberFilter {
  readonly status?: SubscriberStatus | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  /** Part of the address or of the name. */
  readonly search?: string | undefined;
}

/**
 * Subscribers of a list, those who were erased only when asked for.
 *
 * @throws Failure not_found for the list; storage_timeout when a search takes too long.
 */
export async function pageOfSubscribers(
  ports: CampaignsPorts,
  projectId: string,
  listId: string,
  filter: SubscriberFilter,
  request: { limit: number; cursor?: string | undefined },
  signal: AbortSignal,
): Promise<Page<SubscriberAnswer>> {
  await requireList(ports.store.db, projectId, listId);
  const { status = null, email = null, name = null, search: either = null } = filter;
  const { rows, next_cursor } = await page(
    request,
    'sub',
    (window) => {
      const search: Search = { projectId, listId, status, email, name, either, ...window };
      const isSearch = email !== null || name !== null || either !== null;
      return isSearch ? runInTime(ports, searchTask, search, signal) : pageByStatus(ports, search);
    },
    (row) => row.subscriber_id,
  );
  return { rows: rows.map(subscriberAnswer), next_cursor };
}

function pageByStatus(
  { store }: CampaignsPorts,
  { projectId, listId, status, after, limit }: Search,
): Promise<SubscriberTable[]> {
  return (
    store.db
      .selectFrom('mail_subscribers')
      .selectAll()
      .where('list_id', '=', listId)
      .where('project_id', '=', projectId)
      // In words, as an index of some statuses alone can't be taken for a parameter.
      .where('status', status === null ? '!=' : '=', sql.lit(status ?? 'erased'))
      .where('subscriber_id', '>', after ?? '')
      .orderBy('subscriber_id')
      .limit(limit)
      .execute()
  );
}
