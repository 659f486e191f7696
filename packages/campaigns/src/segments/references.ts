import { problem } from '@postern/http';
import type { FieldViolation } from '@postern/kit';
import type { CampaignsDatabase } from '../engine/ports.ts';
import { isOneOf } from '../engine/sql.ts';
import type { CampaignsPorts } from '../ports.ts';
import { type Condition, comparisonsOf } from './condition.ts';
import { fieldOf } from './fields.ts';

/**
 * Whether the campaigns a condition asks about are the project's.
 *
 * @throws Failure validation_failed that names each field whose campaign is not.
 */
export async function requireCampaigns(
  db: CampaignsDatabase,
  { store }: Pick<CampaignsPorts, 'store'>,
  projectId: string,
  condition: Condition,
): Promise<void> {
  const asked = [...comparisonsOf(condition)].flatMap(([path, comparison]) => {
    const field = fieldOf(comparison.field);
    return field?.kind === 'campaign' ? [{ path, campaignId: field.campaignId }] : [];
  });
  if (asked.length === 0) return;
  const rows = await db
    .selectFrom('mail_campaigns')
    .select('campaign_id')
    .where('project_id', '=', projectId)
    .where(
      isOneOf(
        store.engine,
        'campaign_id',
        asked.map((one) => one.campaignId),
      ),
    )
    .execute();
  const known = new Set(rows.map((row) => row.campaign_id));
  const violations = asked
    .filter((one) => !known.has(one.campaignId))
    .map(
      ({ path, campaignId }): FieldViolation => ({
        field: ['condition', path, 'field'].filter((part) => part !== '').join('.'),
        code: 'not_allowed',
        message: `names the campaign ${campaignId}, which this project does not have`,
      }),
    );
  if (violations.length === 0) return;
  const detail = violations.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw problem('validation_failed', detail, { violations });
}
