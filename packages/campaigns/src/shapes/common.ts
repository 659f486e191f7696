import { formatMilliseconds, idSchema, mustBe, parseTime, timeSchema } from '@postern/kit';
import * as z from 'zod';

/** Fields and schemas that many operations share (contract, sections 1, 7 and 8.16). */

/** Of every project-scoped operation. Handlers leave it alone and act in `context.projectId`. */
export const projectIdField = {
  project_id: idSchema('prj')
    .optional()
    .describe('The project to act in: required with an admin key; an API key may leave it out'),
};

export const projectIdSchema = idSchema('prj');
export const keyIdSchema = idSchema('key');
export const listIdSchema = idSchema('lst');
export const subscriberIdSchema = idSchema('sub');
export const segmentIdSchema = idSchema('seg');
export const templateIdSchema = idSchema('tpl');
export const campaignIdSchema = idSchema('cmp');
export const domainIdSchema = idSchema('dom');
export const suppressionIdSchema = idSchema('sup');
export const webhookIdSchema = idSchema('whk');
export const deliveryIdSchema = idSchema('dlv');
export const emailIdSchema = idSchema('eml');

/** C0 and C1 controls, DEL and the two Unicode line breaks: nothing that may end a header field or hide in it. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;

/** One line of text with bounds in characters (code points, as JSON Schema counts), without controls. */
export function lineSchema(minimum: number, maximum: number) {
  return z
    .string()
    .superRefine((text, context) => {
      const length = text.length > 2 * maximum ? text.length : [...text].length;
      const fault = lengthFault(length, minimum, maximum);
      if (fault) context.addIssue({ code: 'custom', input: text, ...fault });
      if (CONTROLS.test(text)) {
        const message = 'must be one line, without control characters';
        context.addIssue({ code: 'custom', input: text, message });
      }
    })
    .meta({ ...(minimum > 0 ? { minLength: minimum } : {}), maxLength: maximum });
}

/** Text of several lines with bounds in characters; of the controls only tab and line breaks. */
export function textSchema(maximum: number) {
  return z
    .string()
    .superRefine((text, context) => {
      const length = text.length > 2 * maximum ? text.length : [...text].length;
      const fault = lengthFault(length, 0, maximum);
      if (fault) context.addIssue({ code: 'custom', input: text, ...fault });
    })
    .meta({ maxLength: maximum });
}

function lengthFault(length: number, minimum: number, maximum: number) {
  if (length < minimum) {
    const message = `must have at least ${minimum} character${minimum === 1 ? '' : 's'}, found ${length}`;
    return { message, params: { code: 'too_short' } };
  }
  if (length > maximum) {
    return {
      message: `must have at most ${maximum} characters, found ${length}`,
      params: { code: 'too_long' },
    };
  }
  return null;
}

/** Name of a project, key, list, segment, template or campaign. */
export const nameSchema = lineSchema(1, 200);

/** A description or note; null clears it where the field may be cleared. */
export const descriptionSchema = textSchema(2_000);

/** Postal address of a sender, of several lines. */
export const postalAddressSchema = textSchema(500);

/**
 * A moment somebody gives, to be kept; `parseTime` of the kit reads it. The databases' drivers read no microsecond
 * beyond the safe integers, so one that was written would never come back.
 */
export const givenTimeSchema = timeSchema().refine((text) => Number.isSafeInteger(parseTime(text) ?? 0), {
  error: mustBe('a time between the years 1685 and 2255'),
  params: { code: 'out_of_range' },
});

/** A moment in an answer: RFC 3339, UTC, milliseconds. */
export const answerTimeSchema = z.string().meta({ format: 'date-time' });

/** Microseconds as an answer shows them. */
export function answerTime(microseconds: number): string {
  return formatMilliseconds(Math.floor(microseconds / 1_000));
}

/** The same for a time that may not be there. */
export function answerTimeOrNull(microseconds: number | null): string | null {
  return microseconds === null ? null : answerTime(microseconds);
}

/** Every thing that is made has these two. */
export const madeFields = { created_at: answerTimeSchema, updated_at: answerTimeSchema };

/** What the ten confirm tools, and the tools of other DELETEs, say beside the resource. */
export const effectSchema = z.string().describe('What the call did or would do, in a sentence');

/** Names a project in addresses (contract, 8.16). */
export const slugSchema = z.string().regex(/^[a-z0-9-]{2,63}$/, {
  error: mustBe('2 to 63 lower-case letters, digits and hyphens'),
});
