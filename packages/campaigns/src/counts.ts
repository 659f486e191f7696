import type { StoreHandle } from '@postern/store';
import type { Kysely } from 'kysely';
import type { CampaignsTransaction } from './ports.ts';
import type { CampaignsTables, DeliveryState, SubscriberStatus } from './tables.ts';

/**
 * Kept counters. Whoever changes rows changes the counters in the same transaction, so that sums are right at
 * every moment and no big table is ever counted for an answer.
 */

export type Deltas<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** Adds to a list's subscribers by status; a move is `{ subscribed: -1, unsubscribed: 1 }`. */
export async function addToListCounts(
  tx: CampaignsTransaction,
  listId: string,
  deltas: Deltas<SubscriberStatus>,
): Promise<void> {
  const rows = changes(deltas).map(([status, delta]) => ({ list_id: listId, status, total: delta }));
  if (rows.length === 0) return;
  await tx
    .insertInto('mail_list_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['list_id', 'status'])
        .doUpdateSet((row) => ({ total: row('mail_list_counts.total', '+', row.ref('excluded.total')) })),
    )
    .execute();
}

/** Adds to a campaign's deliveries by state. */
export async function addToCampaignCounts(
  tx: CampaignsTransaction,
  campaignId: string,
  deltas: Deltas<DeliveryState>,
): Promise<void> {
  const rows = changes(deltas).map(([state, delta]) => ({ campaign_id: campaignId, state, total: delta }));
  if (rows.length === 0) return;
  await tx
    .insertInto('mail_campaign_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['campaign_id', 'state'])
        .doUpdateSet((row) => ({ total: row('mail_campaign_counts.total', '+', row.ref('excluded.total')) })),
    )
    .execute();
}

/** Counters of some lists; a status nobody has is left out. */
export async function listCounts(
  db: StoreHandle,
  listIds: readonly string[],
): Promise<Map<string, Deltas<SubscriberStatus>>> {
  if (listIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom('mail_list_counts')
    .selectAll()
    .where('list_id', 'in', listIds)
    .execute();
  return grouped(rows.map((row) => [row.list_id, row.status, row.total]));
}

/** Counters of some campaigns; a state no delivery is in is left out. */
export async function campaignCounts(
  db: StoreHandle,
  campaignIds: readonly string[],
): Promise<Map<string, Deltas<DeliveryState>>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await tables(db)
    .selectFrom('mail_campaign_counts')
    .selectAll()
    .where('campaign_id', 'in', campaignIds)
    .execute();
  return grouped(rows.map((row) => [row.campaign_id, row.state, row.total]));
}

/** In one order everywhere, so that two transactions never wait for each other's counters. */
function changes<Name extends string>(deltas: Deltas<Name>): [Name, number][] {
  return (Object.entries(deltas) as [Name, number | undefined][])
    .filter((entry): entry is [Name, number] => entry[1] !== undefined && entry[1] !== 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function grouped<Name extends string>(
  rows: readonly (readonly [string, Name, number])[],
): Map<string, Deltas<Name>> {
  const groups = new Map<string, Record<string, number>>();
  for (const [id, name, total] of rows) groups.set(id, { ...groups.get(id), [name]: total });
  return groups as Map<string, Deltas<Name>>;
}

function tables(db: StoreHandle): Kysely<CampaignsTables> {
  return db as unknown as Kysely<CampaignsTables>;
}
