import { JsonText } from '@postern/kit';
import * as z from 'zod';
import { boundedArray } from '../../shapes/bounded.ts';
import { subscriberInput } from '../shapes.ts';

const recordSchema = z.strictObject({
  email: z.string().describe('One that is no address is skipped, not refused'),
  name: subscriberInput.name.optional(),
  attributes: subscriberInput.attributes.optional(),
});

export type ImportRecord = z.output<typeof recordSchema>;

/** As the text of an array of {@link ImportRecord}s. */
export function recordsSchema(maximum: number) {
  return boundedArray(recordSchema, 1, maximum).transform((records) => new JsonText(JSON.stringify(records)));
}

export const importOutcomes = ['created', 'updated', 'unchanged', 'skipped'] as const;
export const skipReasons = ['invalid_email', 'duplicate', 'suppressed', 'too_many_attributes'] as const;

export const importAnswerSchema = z.strictObject({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  results: z
    .array(
      z.strictObject({
        index: z.int(),
        outcome: z.enum(importOutcomes),
        reason: z.enum(skipReasons).nullable(),
        subscriber_id: z.string().nullable(),
      }),
    )
    .describe('What became of each record, in their order'),
});

export type ImportAnswer = z.input<typeof importAnswerSchema>;
export type ImportResult = ImportAnswer['results'][number];
