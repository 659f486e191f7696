import { mustBe } from '@postern/kit';
import * as z from 'zod';
import { contentInput } from '../content/shapes.ts';
import type { Deltas } from '../counts.ts';
import { addressSchema, senderAnswer, senderInput, senderSchema } from '../shapes/address.ts';
import {
  answerTime,
  answerTimeOrNull,
  answerTimeSchema,
  givenTimeSchema,
  lineSchema,
  listIdSchema,
  madeFields,
  nameSchema,
  segmentIdSchema,
  templateIdSchema,
} from '../shapes/common.ts';
import type { CampaignTable, DeliveryState } from '../tables.ts';
import { campaignLife } from './lifecycle.ts';

const MOST_LISTS = 50;
/** A due time missed by more than a month is nobody's wish any more. */
const MOST_LATENESS_SECONDS = 2_592_000;

const trackingSchema = z.enum(['off', 'anonymous', 'person']);

/** What may be said of a campaign, in creating and changing it. */
export const campaignInput = {
  name: nameSchema,
  list_ids: z
    .array(listIdSchema)
    .max(MOST_LISTS)
    .refine((ids) => new Set(ids).size === ids.length, {
      error: mustBe('ids of different lists'),
      params: { code: 'not_unique' },
    })
    .describe('Lists it goes to; the first list an address is on speaks for it'),
  segment_id: segmentIdSchema.describe('Only those whom this segment matches'),
  from: senderInput.describe('Sender; the first list that has one stands in'),
  reply_to: addressSchema,
  subject: contentInput.subject,
  preheader: lineSchema(0, 500).describe('Liquid; shown behind the subject in a mailbox, hidden in the mail'),
  template_id: templateIdSchema.describe('Template for what the campaign does not say itself'),
  html: contentInput.html,
  text: contentInput.text,
  tracking: z.strictObject({ opens: trackingSchema.optional(), clicks: trackingSchema.optional() }),
  send_at: givenTimeSchema.describe('When a launch sends it; at once without it'),
  max_lateness_seconds: z
    .int()
    .min(0)
    .max(MOST_LATENESS_SECONDS)
    .describe('Sent no later than this after send_at'),
  strict_variables: z.boolean().describe('Whether a missing value fails a mail instead of being empty'),
  rate_per_second: z.int().min(1).max(10_000).describe('Mails a second at most'),
};

export const countsSchema = z
  .strictObject({
    audience: z.int(),
    pending: z.int(),
    submitted: z.int(),
    sent: z.int(),
    deferred: z.int(),
    failed: z.int(),
    unknown: z.int(),
    skipped: z.int(),
    cancelled: z.int(),
  })
  .describe('Recipients by state; they add up to the audience');

export const campaignSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  list_ids: z.array(z.string()),
  segment_id: z.string().nullable(),
  from: senderSchema.nullable(),
  reply_to: z.string().nullable(),
  subject: z.string().nullable(),
  preheader: z.string().nullable(),
  template_id: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  tracking: z.strictObject({ opens: trackingSchema, clicks: trackingSchema }),
  send_at: answerTimeSchema.nullable(),
  max_lateness_seconds: z.int(),
  strict_variables: z.boolean(),
  rate_per_second: z.int().nullable(),
  state: z.enum(campaignLife.states),
  counts: countsSchema,
  launched_at: answerTimeSchema.nullable(),
  finished_at: answerTimeSchema.nullable(),
  ...madeFields,
});

export type CampaignAnswer = z.input<typeof campaignSchema>;
export type CampaignCounts = z.input<typeof countsSchema>;

/** Kept counters as an answer shows them: who holds a row does not matter to its reader. */
export function countsAnswer(counts: Deltas<DeliveryState> = {}): CampaignCounts {
  const of = (state: DeliveryState) => counts[state] ?? 0;
  const shown = {
    pending: of('pending') + of('claimed'),
    submitted: of('submitted'),
    sent: of('sent'),
    deferred: of('deferred'),
    failed: of('failed'),
    unknown: of('unknown'),
    skipped: of('skipped'),
    cancelled: of('cancelled'),
  };
  return { audience: Object.values(shown).reduce((sum, total) => sum + total, 0), ...shown };
}

export function campaignAnswer(row: CampaignTable, counts?: Deltas<DeliveryState>): CampaignAnswer {
  return {
    id: row.campaign_id,
    project_id: row.project_id,
    name: row.name,
    list_ids: listIdsOf(row),
    segment_id: row.segment_id,
    from: senderAnswer(row),
    reply_to: row.reply_to,
    subject: row.subject,
    preheader: row.preheader,
    template_id: row.template_id,
    html: row.html,
    text: row.text,
    tracking: { opens: row.tracking_opens, clicks: row.tracking_clicks },
    send_at: answerTimeOrNull(row.send_at_us),
    max_lateness_seconds: row.max_lateness_seconds,
    strict_variables: row.strict_variables === 1,
    rate_per_second: row.rate_per_second,
    state: row.state,
    counts: countsAnswer(counts),
    launched_at: answerTimeOrNull(row.launched_us),
    finished_at: answerTimeOrNull(row.finished_us),
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}

export function listIdsOf({ list_ids_json }: Pick<CampaignTable, 'list_ids_json'>): string[] {
  return JSON.parse(list_ids_json);
}
