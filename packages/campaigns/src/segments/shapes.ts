import * as z from 'zod';
import { answerTime, madeFields, nameSchema } from '../shapes/common.ts';
import type { SegmentTable } from '../tables.ts';
import { conditionAnswerSchema, conditionSchema } from './condition.ts';

/** What may be said of a segment, in creating and changing it. */
export const segmentInput = {
  name: nameSchema,
  condition: conditionSchema.describe(
    'A tree of {all: […]}, {any: […]} and {not: …} over comparisons {field, op, value}, such as {"field": "attributes.city", "op": "eq", "value": "Porto"}',
  ),
};

export const segmentSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  condition: conditionAnswerSchema,
  ...madeFields,
});

export type SegmentAnswer = z.input<typeof segmentSchema>;

export function segmentAnswer(row: SegmentTable): SegmentAnswer {
  return {
    id: row.segment_id,
    project_id: row.project_id,
    name: row.name,
    condition: JSON.parse(row.condition_json),
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}
