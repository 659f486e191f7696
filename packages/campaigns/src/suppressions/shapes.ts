import * as z from 'zod';
import { answerTime, answerTimeSchema } from '../shapes/common.ts';
import type { SuppressionReason, SuppressionTable } from '../tables.ts';

export const suppressionReasons = [
  'hard_bounce',
  'complaint',
  'unsubscribe',
  'manual',
  'erased',
] as const satisfies readonly SuppressionReason[];

export const suppressionSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  email: z.string().nullable().describe('null when its owner was erased'),
  reason: z.enum(suppressionReasons),
  source: z.string().describe('Where it comes from'),
  note: z.string().nullable(),
  created_at: answerTimeSchema,
});

export type SuppressionAnswer = z.input<typeof suppressionSchema>;

export function suppressionAnswer(row: SuppressionTable): SuppressionAnswer {
  return {
    id: row.suppression_id,
    project_id: row.project_id,
    email: row.email,
    reason: row.reason,
    source: row.source,
    note: row.note,
    created_at: answerTime(row.created_us),
  };
}
