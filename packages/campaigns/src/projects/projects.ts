import { problem } from '@postern/http';
import { forUpdate, serialise } from '@postern/store';
import { recordAct } from '../audit.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import type { Deletion } from '../shapes/deletion.ts';
import { counted, listed, quoted } from '../shapes/words.ts';
import type { ProjectTable } from '../tables.ts';

export interface ProjectFields {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly sender_address?: string | null | undefined;
}

/** @throws Failure conflict when the slug is taken. */
export async function createProject(
  ports: CampaignsPorts,
  actor: string,
  fields: { name: string; slug: string; sender_address: string | null },
): Promise<ProjectTable> {
  return ports.store.transaction(async (tx) => {
    await requireFreeSlug(tx, fields.slug);
    const now = ports.clock.nowMicroseconds();
    const row: ProjectTable = {
      project_id: ports.newId('prj'),
      ...fields,
      last_slug: fields.slug,
      created_us: now,
      updated_us: now,
      deleted_us: null,
    };
    await tx.insertInto('mail_projects').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_project', target: row.project_id });
    return row;
  });
}

/** Projects that were not deleted, oldest first; an API key sees but its own. */
export async function listProjects(
  ports: CampaignsPorts,
  own: string | null,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<ProjectTable>> {
  return page(
    request,
    'prj',
    ({ after, limit }) => {
      let query = ports.store.db
        .selectFrom('mail_projects')
        .selectAll()
        .where('deleted_us', 'is', null)
        .orderBy('project_id')
        .limit(limit);
      if (after !== null) query = query.where('project_id', '>', after);
      if (own !== null) query = query.where('project_id', '=', own);
      return query.execute();
    },
    (row) => row.project_id,
  );
}

/** A project, deleted ones too. @throws Failure not_found, also for one that is not the API key's own. */
export async function getProject(
  ports: CampaignsPorts,
  own: string | null,
  projectId: string,
): Promise<ProjectTable> {
  const row =
    own === null || own === projectId
      ? await ports.store.db
          .selectFrom('mail_projects')
          .selectAll()
          .where('project_id', '=', projectId)
          .executeTakeFirst()
      : undefined;
  if (!row) throw noProject(projectId);
  return row;
}

/** @throws Failure not_found (deleted ones too), conflict. */
export async function updateProject(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  fields: ProjectFields,
): Promise<ProjectTable> {
  return ports.store.transaction(async (tx) => {
    const found = await lockProject(tx, projectId);
    if (!found || found.deleted_us !== null) throw noProject(projectId);
    if (fields.slug !== undefined && fields.slug !== found.slug) await requireFreeSlug(tx, fields.slug);
    const change = {
      ...(fields.name === undefined ? {} : { name: fields.name }),
      ...(fields.slug === undefined ? {} : { slug: fields.slug, last_slug: fields.slug }),
      ...(fields.sender_address === undefined ? {} : { sender_address: fields.sender_address }),
    };
    if (Object.keys(change).length === 0) return found;
    const row = { ...found, ...change, updated_us: ports.clock.nowMicroseconds() };
    await tx.updateTable('mail_projects').set(row).where('project_id', '=', projectId).execute();
    await recordAct(tx, ports, {
      actor,
      action: 'update_project',
      target: projectId,
      details: { fields: Object.keys(change) },
    });
    return row;
  });
}

/**
 * Deletes a project, or says what that would do. Its rows stay, out of everybody's reach.
 *
 * @throws Failure not_found; precondition_failed with `in_use` while one of its campaigns is running.
 */
export async function deleteProject(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  dryRun: boolean,
): Promise<Deletion<ProjectTable>> {
  return ports.store.transaction(async (tx) => {
    const found = await lockProject(tx, projectId);
    if (!found) throw noProject(projectId);
    const name = quoted(found.name);
    if (found.deleted_us !== null) {
      return {
        outcome: 'already_deleted',
        effect: `The project ${name} was deleted before; nothing changes.`,
        row: found,
      };
    }
    await requireNothingRuns(tx, found);
    const contents = await contentsOf(tx, projectId);
    if (dryRun) {
      return {
        outcome: 'would_delete',
        effect: `Would delete the project ${name} with ${contents}; its keys could do nothing any more.`,
        row: found,
      };
    }
    const now = ports.clock.nowMicroseconds();
    const row = { ...found, slug: null, deleted_us: now, updated_us: now };
    await tx.updateTable('mail_projects').set(row).where('project_id', '=', projectId).execute();
    await recordAct(tx, ports, { actor, action: 'delete_project', target: projectId });
    return {
      outcome: 'deleted',
      effect: `Deleted the project ${name} with ${contents}; its keys can do nothing any more.`,
      row,
    };
  });
}

async function requireNothingRuns(tx: CampaignsTransaction, project: ProjectTable): Promise<void> {
  const running = await tx
    .selectFrom('mail_campaigns')
    .select('campaign_id')
    .where('project_id', '=', project.project_id)
    .where('state', '=', 'running')
    .limit(1)
    .executeTakeFirst();
  if (!running) return;
  const message = `is in use by the running campaign ${running.campaign_id}; cancel it or let it finish`;
  throw problem('precondition_failed', `The project ${message}.`, {
    violations: [{ field: 'project_id', code: 'in_use', message }],
  });
}

async function contentsOf(tx: CampaignsTransaction, projectId: string): Promise<string> {
  const lists = await tx
    .selectFrom('mail_lists')
    .select((row) => row.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .where('deleted_us', 'is', null)
    .executeTakeFirstOrThrow();
  const subscribers = await tx
    .selectFrom('mail_list_counts')
    .innerJoin('mail_lists', 'mail_lists.list_id', 'mail_list_counts.list_id')
    .select((row) => row.fn.coalesce(row.fn.sum<number>('total'), row.val(0)).as('total'))
    .where('project_id', '=', projectId)
    .where('deleted_us', 'is', null)
    .where('status', '!=', 'erased')
    .executeTakeFirstOrThrow();
  const campaigns = await tx
    .selectFrom('mail_campaigns')
    .select((row) => row.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return listed([
    counted(Number(lists.total), 'list'),
    counted(Number(subscribers.total), 'subscriber'),
    counted(Number(campaigns.total), 'campaign'),
  ]);
}

function lockProject(tx: CampaignsTransaction, projectId: string): Promise<ProjectTable | undefined> {
  return forUpdate(
    tx,
    tx.selectFrom('mail_projects').selectAll().where('project_id', '=', projectId),
  ).executeTakeFirst();
}

async function requireFreeSlug(tx: CampaignsTransaction, slug: string): Promise<void> {
  await serialise(tx, 'campaigns:project-slugs');
  const taken = await tx
    .selectFrom('mail_projects')
    .select('project_id')
    .where('slug', '=', slug)
    .executeTakeFirst();
  if (taken) throw problem('conflict', `The slug ${quoted(slug)} is taken by another project.`);
}

function noProject(projectId: string) {
  return problem('not_found', `There is no project ${projectId}.`);
}
