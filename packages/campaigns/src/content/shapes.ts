import * as z from 'zod';
import { lineSchema, textSchema } from '../shapes/common.ts';

/** What somebody writes, in templates and campaigns. */
export const contentInput = {
  subject: lineSchema(0, 1_000).describe('Liquid; one line'),
  html: textSchema(1_000_000).describe('HTML with Liquid'),
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
