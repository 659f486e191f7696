import { mustBe } from '@postern/kit';
import * as z from 'zod';
import { answerTime, answerTimeOrNull, madeFields } from '../shapes/common.ts';
import type { WebhookDeliveryTable, WebhookTable } from '../tables.ts';
import { webhookEvents } from './events.ts';

const LONGEST_URL = 2_000;

export const webhookInput = {
  url: z
    .string()
    .max(LONGEST_URL)
    .refine((text) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text), {
      error: mustBe('an http or https URL'),
    })
    .describe('Where events are posted to'),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .max(webhookEvents.length)
    .describe('What it wants to hear of'),
  enabled: z.boolean().describe('false holds it without losing its settings'),
};

export const webhookSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  enabled: z.boolean(),
  secret: z.string().nullable().describe('whsec_… in the answer that creates the webhook, null ever after'),
  ...madeFields,
});

export type WebhookAnswer = z.input<typeof webhookSchema>;

export function webhookAnswer(row: WebhookTable, secret: string | null = null): WebhookAnswer {
  const wanted = new Set(row.events.split(' '));
  return {
    id: row.webhook_id,
    project_id: row.project_id,
    url: row.url,
    events: webhookEvents.filter((event) => wanted.has(event)),
    enabled: row.enabled === 1,
    secret,
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}

export const webhookDeliveryStates = ['pending', 'done', 'dead'] as const;

export const webhookDeliverySchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  webhook_id: z.string(),
  event: z.string(),
  state: z.enum(webhookDeliveryStates),
  attempts: z.int(),
  response_status: z.int().nullable().describe('Of the last attempt; null when nobody answered'),
  next_attempt_at: z.string().nullable(),
  ...madeFields,
});

export type WebhookDeliveryAnswer = z.input<typeof webhookDeliverySchema>;

export function webhookDeliveryAnswer(row: WebhookDeliveryTable): WebhookDeliveryAnswer {
  return {
    id: row.delivery_id,
    project_id: row.project_id,
    webhook_id: row.webhook_id,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    response_status: row.response_status,
    next_attempt_at: answerTimeOrNull(row.next_attempt_us),
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}
