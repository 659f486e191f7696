import * as z from 'zod';
import { answerTime, answerTimeOrNull, answerTimeSchema, madeFields } from '../shapes/common.ts';
import type { ProjectTable } from '../tables.ts';

export const projectSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  sender_address: z.string().nullable().describe('Postal address for the footer of mails'),
  ...madeFields,
  deleted_at: answerTimeSchema.nullable(),
});

export type ProjectAnswer = z.input<typeof projectSchema>;

export function projectAnswer(row: ProjectTable): ProjectAnswer {
  return {
    id: row.project_id,
    name: row.name,
    slug: row.slug ?? row.last_slug,
    sender_address: row.sender_address,
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
    deleted_at: answerTimeOrNull(row.deleted_us),
  };
}
