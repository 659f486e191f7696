import * as z from 'zod';
import { lineSchema, textSchema } from '../shapes/common.ts';

/** All that is known of what can be said: whoever writes over MCP has nothing else to read. */
const VARIABLES =
  'In campaigns it knows {{ subscriber.name }}, {{ subscriber.email }}, {{ subscriber.attributes.<key> }}, ' +
  '{{ list.name }}, {{ campaign.name }}, {{ project.name }}, {{ project.sender_address }}, {{ view_url }}, ' +
  '{{ preferences_url }} and {{ unsubscribe_url }}, which has to be in it';

/** What somebody writes, in templates and campaigns. */
export const contentInput = {
  subject: lineSchema(0, 1_000).describe('Liquid; one line'),
  html: textSchema(1_000_000).describe(`HTML with Liquid. ${VARIABLES}`),
  text: textSchema(1_000_000).describe('Plain text with Liquid; made from the HTML when absent'),
};

/** What it looks like to one person. */
export const renderedSchema = z.strictObject({
  subject: z.string(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.string()).describe('Header fields of the mail, decoded, by name'),
  warnings: z.array(z.string()).describe('What works but is hardly meant'),
});
