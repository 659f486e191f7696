import * as z from 'zod';
import { contentInput } from '../content/shapes.ts';
import { answerTime, madeFields, nameSchema, textSchema } from '../shapes/common.ts';
import type { TemplateTable } from '../tables.ts';

export const templateInput = {
  name: nameSchema,
  ...contentInput,
  mjml: textSchema(1_000_000).describe('MJML with Liquid, in place of html'),
};

export const templateSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  mjml: z.string().nullable(),
  text: z.string().nullable(),
  ...madeFields,
});

export type TemplateAnswer = z.input<typeof templateSchema>;

export function templateAnswer(row: TemplateTable): TemplateAnswer {
  return {
    id: row.template_id,
    project_id: row.project_id,
    name: row.name,
    subject: row.subject,
    html: row.html,
    mjml: row.mjml,
    text: row.text,
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}
