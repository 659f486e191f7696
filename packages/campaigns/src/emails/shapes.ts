import * as z from 'zod';
import { answerTime, answerTimeOrNull, madeFields } from '../shapes/common.ts';
import type { EmailTable } from '../tables.ts';

/** `claimed` is a matter of the engine's; to everybody else such a mail is pending. */
export const emailStates = ['pending', 'submitted', 'sent', 'deferred', 'failed', 'unknown'] as const;

export const emailSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  to: z.string().nullable().describe('null once the person was erased'),
  reference: z.string().nullable(),
  state: z.enum(emailStates),
  reason: z.string().nullable().describe('Why it was put off, failed or is unknown'),
  smtp_reply: z.string().nullable(),
  sent_at: z.string().nullable(),
  ...madeFields,
});

export type EmailAnswer = z.input<typeof emailSchema>;

export function emailAnswer(row: EmailTable): EmailAnswer {
  return {
    id: row.email_id,
    project_id: row.project_id,
    to: row.recipient === '' ? null : row.recipient,
    reference: row.reference,
    state: row.state === 'claimed' ? 'pending' : row.state,
    reason: row.reason,
    smtp_reply: row.smtp_reply,
    sent_at: answerTimeOrNull(row.sent_us),
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}
