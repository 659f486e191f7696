import { mustBe } from '@postern/kit';
import { ADDRESS_FAULTS, parseAddress } from '@postern/mail';
import * as z from 'zod';
import { lineSchema } from './common.ts';

/** Mail addresses, as RFC 6531 has them; the schema library's own check knows fewer (contract, 8.11). */

const LONGEST_TYPED = 1_000;

/** An address somebody gives; it stays as typed, and {@link parseAddress} has its canonical form. */
export const addressSchema = z
  .string()
  .max(LONGEST_TYPED)
  .superRefine((text, context) => {
    if (text.length > LONGEST_TYPED) return;
    const parsed = parseAddress(text);
    if (parsed.fault === undefined) return;
    const message = `${mustBe('an e-mail address such as ana@example.org')({ input: text })}: it ${ADDRESS_FAULTS[parsed.fault]}`;
    context.addIssue({ code: 'custom', input: text, message });
  });

/** Whom mails are from, as it is given; the name may be left out. */
export const senderInput = z.strictObject({
  name: lineSchema(1, 200).nullable().default(null),
  email: addressSchema,
});

/** The same in an answer. */
export const senderSchema = z.strictObject({ name: z.string().nullable(), email: z.string() });

/** Columns → answer. */
export function senderAnswer(row: { from_name: string | null; from_email: string | null }) {
  return row.from_email === null ? null : { name: row.from_name, email: row.from_email };
}

/** Given value → columns; null clears both. */
export function senderColumns(sender: z.output<typeof senderInput> | null) {
  return { from_name: sender?.name ?? null, from_email: sender === null ? null : sender.email.trim() };
}
