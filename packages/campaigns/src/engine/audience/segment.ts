import type { RawBuilder, SqlBool } from 'kysely';
import type { CampaignsPorts } from '../../ports.ts';

export function segmentFilter(
  _ports: CampaignsPorts,
  _condition: unknown,
  _nowUs: number,
): RawBuilder<SqlBool> {
  throw new Error('segments are not compiled yet');
}
