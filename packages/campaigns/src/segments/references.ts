import type { FieldViolation } from '@postern/kit';
import type { CampaignsPorts } from '../ports.ts';
import { type Condition, comparisonsOf, conditionSchema } from './condition.ts';
import { fieldOf } from './fields.ts';

/**
 * Whether the campaigns a condition asks about are the project's.
 *
 * @param field where the condition stands in the input.
 * @param value as it came; what is no condition is the schema's to tell.
 * @returns a violation for each comparison whose campaign is not.
 */
export async function conditionFaults(
  { store: { db } }: Pick<CampaignsPorts, 'store'>,
  projectId: string,
  field: string,
  value: unknown,
): Promise<FieldViolation[]> {
  const parsed = conditionSchema.safeParse(value);
  const asked = parsed.success ? [...campaignsIn(parsed.data)] : [];
  if (asked.length === 0) return [];
  const rows = await db
    .selectFrom('mail_campaigns')
    .select('campaign_id')
    .where('project_id', '=', projectId)
    .where('campaign_id', 'in', [...new Set(asked.map(({ campaignId }) => campaignId))])
    .execute();
  const known = new Set(rows.map((row) => row.campaign_id));
  return asked
    .filter(({ campaignId }) => !known.has(campaignId))
    .map(({ path, campaignId }) => ({
      field: [field, path, 'field'].filter((part) => part !== '').join('.'),
      code: 'not_allowed',
      message: `must name a campaign of this project, found ${campaignId}`,
    }));
}

function* campaignsIn(condition: Condition): Generator<{ path: string; campaignId: string }> {
  for (const [path, comparison] of comparisonsOf(condition)) {
    const field = fieldOf(comparison.field);
    if (field?.kind === 'campaign') yield { path, campaignId: field.campaignId };
  }
}
