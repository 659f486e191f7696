import { problem } from '@postern/http';
import type { FieldViolation } from '@postern/kit';
import type { CampaignsCaller } from './context.ts';
import type { CampaignsPorts } from './ports.ts';

/**
 * The rule of project context (contract, section 1): an API key acts in its own project and may say so; an admin
 * key says which.
 *
 * @param given `project_id` as it came; the schema refuses what is no id.
 * @returns the project; null with `required` when an admin key names none, and without a violation when what was given
 *   is not even an id: the schema's to tell.
 * @throws Failure not_found for a project that does not exist, was deleted or is another's.
 */
export async function projectOf(
  ports: Pick<CampaignsPorts, 'store'>,
  caller: CampaignsCaller,
  given: unknown,
  isId: (value: unknown) => boolean,
): Promise<{ projectId: string | null; violations: FieldViolation[] }> {
  if (given !== undefined && !isId(given)) return { projectId: null, violations: [] };
  const projectId = (given as string | undefined) ?? caller.projectId;
  if (projectId === null) {
    const message = 'is required with an admin key: it names the project to act in';
    return { projectId, violations: [{ field: 'project_id', code: 'required', message }] };
  }
  if (caller.projectId === null || caller.projectId === projectId) {
    const row = await ports.store.db
      .selectFrom('mail_projects')
      .select('deleted_us')
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    if (row?.deleted_us === null) return { projectId, violations: [] };
  }
  throw problem('not_found', `There is no project ${projectId}.`);
}
