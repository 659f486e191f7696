import type { RawBuilder, SqlBool } from 'kysely';
import type { CampaignsPorts } from '../../ports.ts';
import type { Condition } from '../../segments/condition.ts';
import { segmentCondition } from '../../segments/sql/compile.ts';

/** A stored segment as a filter of its subscribers. */
export function segmentFilter(
  { store }: CampaignsPorts,
  condition: Condition,
  nowUs: number,
): RawBuilder<SqlBool> {
  return segmentCondition(store.engine, condition, nowUs);
}
