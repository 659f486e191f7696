import * as z from 'zod';
import { answerTimeSchema } from '../shapes/common.ts';
import { deliveryStates } from './deliveries.ts';
import { campaignLife } from './lifecycle.ts';
import { countsSchema } from './shapes.ts';

const reactionSchema = z.strictObject({
  total: z.int(),
  people: z.int().describe('Different people; 0 where tracking names nobody'),
});

export const reportSchema = z.strictObject({
  campaign_id: z.string(),
  name: z.string(),
  state: z.enum(campaignLife.states),
  state_reason: z.string().nullable().describe('Why it is paused, failed, or still scheduled'),
  missed_send_time: z.boolean().describe('Its send_at passed by too much; it is not sent by itself'),
  launched_at: answerTimeSchema.nullable(),
  finished_at: answerTimeSchema.nullable(),
  counts: countsSchema,
  reasons: z
    .array(z.strictObject({ state: z.enum(deliveryStates), reason: z.string(), total: z.int() }))
    .describe('Recipients that were skipped, put off or failed, by reason'),
  opens: reactionSchema,
  clicks: reactionSchema,
  bounces: z.strictObject({ hard: z.int(), soft: z.int() }),
  complaints: z.int(),
  unsubscribes: z.int(),
  links: z
    .array(z.strictObject({ url: z.string().nullable(), total: z.int(), people: z.int() }))
    .describe('Most clicked first; null stands for links of people who were erased'),
  timeline: z
    .strictObject({
      step_seconds: z.int(),
      points: z.array(
        z.strictObject({
          at: answerTimeSchema,
          sent: z.int(),
          deferred: z.int().describe('Recipients put off then who wait since'),
          failed: z.int(),
          failures: z
            .array(z.strictObject({ reason: z.string(), total: z.int() }))
            .describe('failed, by reason'),
          opens: z.int(),
          clicks: z.int(),
        }),
      ),
    })
    .describe('What happened in each step of time; steps in which nothing did are left out'),
});

export type ReportAnswer = z.input<typeof reportSchema>;
