import type { CampaignsDatabase } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import { subscriberIdOf } from './id.ts';

type Keyed = Pick<CampaignsPorts, 'installationKey'>;

/**
 * The ids that an address has, or would have, on each list of a project, deleted lists included. As an id follows
 * from list and address, a person is found on all lists without an index by address, which cost an import more than
 * all the rest. Whoever was erased still has the id, but not the address.
 *
 * @param emailKey the canonical address.
 */
export async function idsOfAddress(
  db: CampaignsDatabase,
  ports: Keyed,
  projectId: string,
  emailKey: string,
): Promise<string[]> {
  const lists = await db
    .selectFrom('mail_lists')
    .select('list_id')
    .where('project_id', '=', projectId)
    .execute();
  return idsOnLists(
    ports,
    lists.map((list) => list.list_id),
    emailKey,
  );
}

/** The ids that an address has, or would have, on these lists. */
export function idsOnLists(ports: Keyed, listIds: readonly string[], emailKey: string): string[] {
  return listIds.map((listId) => subscriberIdOf(ports, listId, emailKey));
}
