import type { CampaignsPorts } from '../ports.ts';
import type { CampaignTable } from '../tables.ts';
import type { Surroundings } from './check-content.ts';
import { listIdsOf } from './shapes.ts';

/** Reads what a campaign is sent with; what is gone is left out. */
export async function surroundingsOf(
  { store: { db } }: Pick<CampaignsPorts, 'store'>,
  campaign: CampaignTable,
): Promise<Surroundings> {
  const { project_id, template_id } = campaign;
  const project = await db
    .selectFrom('mail_projects')
    .select(['name', 'sender_address'])
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow();
  const listIds = listIdsOf(campaign);
  const found =
    listIds.length === 0
      ? []
      : await db
          .selectFrom('mail_lists')
          .selectAll()
          .where('project_id', '=', project_id)
          .where('list_id', 'in', listIds)
          .where('deleted_us', 'is', null)
          .execute();
  const byId = new Map(found.map((list) => [list.list_id, list]));
  const template =
    template_id === null
      ? undefined
      : await db
          .selectFrom('mail_templates')
          .selectAll()
          .where('project_id', '=', project_id)
          .where('template_id', '=', template_id)
          .executeTakeFirst();
  return {
    project,
    lists: listIds.flatMap((listId) => byId.get(listId) ?? []),
    template: template ?? null,
  };
}
