import { problem } from '@postern/http';
import { forUpdate, type StoreHandle } from '@postern/store';
import type { Kysely } from 'kysely';
import { recordAct } from '../audit.ts';
import { listCounts } from '../counts.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { senderColumns } from '../shapes/address.ts';
import type { Deletion } from '../shapes/deletion.ts';
import { counted, quoted } from '../shapes/words.ts';
import type { CampaignsTables, ListTable } from '../tables.ts';
import { type ListAnswer, listAnswer } from './shapes.ts';

type Sender = Parameters<typeof senderColumns>[0];

export interface ListFields {
  readonly name: string;
  readonly description: string | null;
  readonly opt_in: 'single' | 'double';
  readonly public: boolean;
  readonly from: Sender;
}

export type ListPatch = { readonly [Field in keyof ListFields]?: ListFields[Field] | undefined };

export async function createList(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  fields: ListFields,
): Promise<ListAnswer> {
  const now = ports.clock.nowMicroseconds();
  const row: ListTable = {
    list_id: ports.newId('lst'),
    project_id: projectId,
    ...columnsOf(fields),
    created_us: now,
    updated_us: now,
    deleted_us: null,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('mail_lists').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_list', target: row.list_id });
  });
  return listAnswer(row);
}

/** Lists that were not deleted, oldest first, with their counts. */
export async function pageOfLists(
  ports: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<ListAnswer>> {
  const { db } = ports.store;
  const { rows, next_cursor } = await page(
    request,
    'lst',
    ({ after, limit }) => {
      const query = db
        .selectFrom('mail_lists')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('deleted_us', 'is', null)
        .orderBy('list_id')
        .limit(limit);
      return (after === null ? query : query.where('list_id', '>', after)).execute();
    },
    (row) => row.list_id,
  );
  const counts = await listCounts(
    db,
    rows.map((row) => row.list_id),
  );
  return { rows: rows.map((row) => listAnswer(row, counts.get(row.list_id))), next_cursor };
}

/** A list, a deleted one too. @throws Failure not_found. */
export async function getList(ports: CampaignsPorts, projectId: string, listId: string): Promise<ListAnswer> {
  const { db } = ports.store;
  return withCounts(db, await findList(db, projectId, listId));
}

/** The row of a list that is in use. @throws Failure not_found, also for a deleted one. */
export async function requireList(db: StoreHandle, projectId: string, listId: string): Promise<ListTable> {
  const row = await findList(db, projectId, listId);
  if (row.deleted_us !== null) throw noList(listId);
  return row;
}

/** @throws Failure not_found, also for a deleted one. */
export async function updateList(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  listId: string,
  patch: ListPatch,
): Promise<ListAnswer> {
  return ports.store.transaction(async (tx) => {
    const found = await lockList(tx, projectId, listId);
    if (found.deleted_us !== null) throw noList(listId);
    const change = columnsOf(patch);
    if (Object.keys(change).length === 0) return withCounts(tx, found);
    const row = { ...found, ...change, updated_us: ports.clock.nowMicroseconds() };
    await tx.updateTable('mail_lists').set(row).where('list_id', '=', listId).execute();
    await recordAct(tx, ports, {
      actor,
      action: 'update_list',
      target: listId,
      details: { fields: Object.keys(change) },
    });
    return withCounts(tx, row);
  });
}

/**
 * Deletes a list, or says what that would do. Its subscribers' rows stay, out of reach; suppressions hold on.
 *
 * @throws Failure not_found; precondition_failed with `in_use` while a campaign that mails it is running.
 */
export async function deleteList(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  listId: string,
  dryRun: boolean,
): Promise<Deletion<ListAnswer>> {
  return ports.store.transaction(async (tx) => {
    const found = await lockList(tx, projectId, listId);
    const name = quoted(found.name);
    if (found.deleted_us !== null) {
      return {
        outcome: 'already_deleted',
        effect: `The list ${name} was deleted before; nothing changes.`,
        row: await withCounts(tx, found),
      };
    }
    await requireNoRunningCampaign(tx, found);
    const before = await withCounts(tx, found);
    const people = counted(
      Object.values(before.counts).reduce((sum, total) => sum + total, 0),
      'subscriber',
    );
    if (dryRun) {
      return {
        outcome: 'would_delete',
        effect: `Would delete the list ${name} with ${people}.`,
        row: before,
      };
    }
    const now = ports.clock.nowMicroseconds();
    const row = { ...found, deleted_us: now, updated_us: now };
    await tx.updateTable('mail_lists').set(row).where('list_id', '=', listId).execute();
    await recordAct(tx, ports, { actor, action: 'delete_list', target: listId });
    return {
      outcome: 'deleted',
      effect: `Deleted the list ${name} with ${people}.`,
      row: await withCounts(tx, row),
    };
  });
}

async function requireNoRunningCampaign(tx: CampaignsTransaction, list: ListTable): Promise<void> {
  const running = await tx
    .selectFrom('mail_campaigns')
    .select(['campaign_id', 'list_ids_json'])
    .where('project_id', '=', list.project_id)
    .where('state', '=', 'running')
    .execute();
  const user = running.find((row) => (JSON.parse(row.list_ids_json) as string[]).includes(list.list_id));
  if (!user) return;
  const message = `is in use by the running campaign ${user.campaign_id}; cancel it or let it finish`;
  throw problem('precondition_failed', `The list ${message}.`, {
    violations: [{ field: 'list_id', code: 'in_use', message }],
  });
}

function columnsOf(
  fields: ListFields,
): Omit<ListTable, 'list_id' | 'project_id' | 'created_us' | 'updated_us' | 'deleted_us'>;
function columnsOf(fields: ListPatch): Partial<ListTable>;
function columnsOf({ name, description, opt_in, from, public: isPublic }: ListPatch): Partial<ListTable> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(opt_in === undefined ? {} : { opt_in }),
    ...(isPublic === undefined ? {} : { public: isPublic ? 1 : 0 }),
    ...(from === undefined ? {} : senderColumns(from)),
  };
}

async function withCounts(db: StoreHandle, row: ListTable): Promise<ListAnswer> {
  return listAnswer(row, (await listCounts(db, [row.list_id])).get(row.list_id));
}

async function findList(db: StoreHandle, projectId: string, listId: string): Promise<ListTable> {
  const row = await (db as unknown as Kysely<CampaignsTables>)
    .selectFrom('mail_lists')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('list_id', '=', listId)
    .executeTakeFirst();
  if (!row) throw noList(listId);
  return row;
}

/** A launch locks the lists it takes its audience from, so none can go while it looks. */
async function lockList(tx: CampaignsTransaction, projectId: string, listId: string): Promise<ListTable> {
  const query = tx.selectFrom('mail_lists').selectAll();
  const row = await forUpdate(
    tx,
    query.where('project_id', '=', projectId).where('list_id', '=', listId),
  ).executeTakeFirst();
  if (!row) throw noList(listId);
  return row;
}

function noList(listId: string) {
  return problem('not_found', `There is no list ${listId} in this project.`);
}
