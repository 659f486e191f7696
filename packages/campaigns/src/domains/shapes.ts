import { mustBe } from '@postern/kit';
import { ADDRESS_FAULTS, type AddressFault, parseDomain } from '@postern/mail';
import * as z from 'zod';
import { answerTime, answerTimeOrNull, answerTimeSchema, madeFields } from '../shapes/common.ts';
import type { DomainTable } from '../tables.ts';
import { type DomainRecord, recordPurposes, recordStatuses } from './records.ts';

export const domainStates = ['unverified', 'verified', 'failing'] as const;

/** Where the words for an address speak of what is before or after an @. */
const DOMAIN_FAULTS: Readonly<Partial<Record<AddressFault, string>>> = {
  domain_syntax: 'is malformed',
  domain_single_label: 'has no dot',
  domain_literal: 'is an IP address',
};

/** A domain somebody gives, in any spelling; {@link parseDomain} has its A-labels. */
export const domainInput = z
  .string()
  .max(1_000)
  .superRefine((text, context) => {
    if (text.length > 1_000) return;
    const parsed = parseDomain(text.trim());
    if (typeof parsed === 'string') return;
    const why = DOMAIN_FAULTS[parsed.fault] ?? ADDRESS_FAULTS[parsed.fault];
    const message = `${mustBe('a domain such as example.org')({ input: text })}: it ${why}`;
    context.addIssue({ code: 'custom', input: text, message });
  });

export const domainSchema = z.strictObject({
  id: z.string(),
  project_id: z.string(),
  domain: z.string(),
  state: z.enum(domainStates).describe('failing: it was verified before and is not any more'),
  dkim_selector: z.string(),
  records: z
    .array(
      z.strictObject({
        purpose: z.enum(recordPurposes),
        type: z.string(),
        name: z.string(),
        value: z.string(),
        status: z.enum(recordStatuses),
        found: z.string().nullable(),
      }),
    )
    .describe('DNS records to set, and how each stood at the last verification'),
  verified_at: answerTimeSchema.nullable(),
  ...madeFields,
});

export type DomainAnswer = z.input<typeof domainSchema>;

export function domainAnswer(row: DomainTable): DomainAnswer {
  return {
    id: row.domain_id,
    project_id: row.project_id,
    domain: row.domain,
    state: row.state,
    dkim_selector: row.dkim_selector,
    records: recordsOf(row),
    verified_at: answerTimeOrNull(row.verified_us),
    created_at: answerTime(row.created_us),
    updated_at: answerTime(row.updated_us),
  };
}

export function recordsOf({ records_json }: Pick<DomainTable, 'records_json'>): DomainRecord[] {
  return JSON.parse(records_json);
}
