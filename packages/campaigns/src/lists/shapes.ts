import * as z from 'zod';
import type { Deltas } from '../counts.ts';
import { senderAnswer, senderInput, senderSchema } from '../shapes/address.ts';
import {
  answerTime,
  answerTimeOrNull,
  answerTimeSchema,
  descriptionSchema,
  madeFields,
  nameSchema,
} from '../shapes/common.ts';
import type { ListTable, SubscriberStatus } from '../tables.ts';

/** What may be said of a list, in creating and changing it. */
export const listInput = {
  name: nameSchema,
  description: descriptionSchema,
  opt_in: z.enum(['single', 'double']).describe('double: people are on it once they confirmed a mail'),
  from: senderInput.describe('Sender of confirmation mails, and of campaigns that name none'),
  public: z.boolean().describe('Whether it is shown to its subscribers and in the public archive'),
};

export const listSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  opt_in: z.enum(['single', 'double']),
  from: senderSchema.nullable(),
  public: z.boolean(),
  counts: z
    .strictObject({
      subscribed: z.int(),
      unconfirmed: z.int(),
      unsubscribed: z.int(),
      bounced: z.int(),
      complained: z.int(),
    })
    .describe('Subscribers by status'),
  ...madeFields,
  deleted_at: answerTimeSchema.nullable(),
});

export type ListAnswer = z.input<typeof listSchema>;

export function listAnswer(row: ListTable, counts: Deltas<SubscriberStatus> = {}): ListAnswer {
  return {
    id: row.list_id,
    project_id: row.project_id,
    name: row.name,
    description: row.description,
    opt_in: row.opt_in,
    from: senderAnswer(row),
    public: row.public === 1,
    counts: {
      subscribed: counts.subscribed ?? 0,
      unconfirmed: counts.unconfirmed ?? 0,
      unsubscribed: counts.unsubscribed ?? 0,
      bounced: counts.bounced ?? 0,
      complained: counts.complained ?? 0,
    },
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
    deleted_at: answerTimeOrNull(row.deleted_us),
  };
}
