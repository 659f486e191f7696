import * as z from 'zod';
import {
  answerTime,
  answerTimeOrNull,
  answerTimeSchema,
  madeFields,
  nameSchema,
  textSchema,
} from '../shapes/common.ts';
import type { SubscriberStatus, SubscriberTable } from '../tables.ts';
import { type Attributes, attributesAnswerSchema, attributesSchema } from './attributes.ts';

export const subscriberStatuses = [
  'subscribed',
  'unconfirmed',
  'unsubscribed',
  'bounced',
  'complained',
  'erased',
] as const satisfies readonly SubscriberStatus[];

/** How consent came about. */
export type ConsentSource = 'api' | 'import' | 'confirmation' | 'preferences';

/** What may be said of a subscriber, in adding and changing one. */
export const subscriberInput = {
  name: nameSchema.nullable(),
  attributes: attributesSchema,
};

/** How somebody who left may come back (contract, section 2); consent is never raised without them. */
export const consentInput = {
  resubscribe: z
    .boolean()
    .default(false)
    .describe('Takes people back who unsubscribed, bounced or complained; needs evidence'),
  evidence: textSchema(2_000)
    .refine((text) => text.trim() !== '', {
      error: 'must not be empty',
      params: { code: 'too_short' },
    })
    .optional()
    .describe('How and when they agreed; kept with the consent'),
};

/** A rule of an object with the fields of {@link consentInput}: `.refine(...evidenceRule)`. */
export const evidenceRule: [
  (fields: { resubscribe?: unknown; evidence?: unknown }) => boolean,
  { path: string[]; error: string; params: { code: string }; when: () => boolean },
] = [
  ({ resubscribe, evidence }) => resubscribe !== true || evidence !== undefined,
  {
    path: ['evidence'],
    error: 'is required with resubscribe: it tells how they agreed to be mailed again',
    params: { code: 'required' },
    // Also when other fields are at fault, so that all is told at once.
    when: () => true,
  },
];

export const subscriberSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  list_id: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  attributes: attributesAnswerSchema.nullable(),
  status: z.enum(subscriberStatuses),
  consent: z
    .strictObject({
      source: z.string(),
      at: answerTimeSchema.nullable(),
      evidence: z.string().nullable(),
    })
    .nullable(),
  ...madeFields,
});

export type SubscriberAnswer = z.input<typeof subscriberSchema>;

export function subscriberAnswer(row: SubscriberTable): SubscriberAnswer {
  const isErased = row.status === 'erased';
  return {
    id: row.subscriber_id,
    project_id: row.project_id,
    list_id: row.list_id,
    email: row.email,
    name: row.name,
    attributes: isErased ? null : (JSON.parse(row.attributes_json) as Attributes),
    status: row.status,
    consent:
      row.consent_source === null
        ? null
        : {
            source: row.consent_source,
            at: answerTimeOrNull(row.consent_at_us),
            evidence: row.consent_evidence,
          },
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}
