import { mustBe, parseTime } from '@postern/kit';
import * as z from 'zod';
import { allScopes, type Scope, scopeAreas } from '../context.ts';
import { answerTimeOrNull, answerTimeSchema, givenTimeSchema } from '../shapes/common.ts';
import type { KeyTable } from '../tables.ts';
import { scopesOf } from './rows.ts';

/** All areas are told of at once: a list of all scopes would be cut short. */
const isScope = mustBe(`campaigns:launch, or :read or :write after one of ${scopeAreas.join(', ')}`);

export const scopeSchema = z.enum(allScopes as [Scope, ...Scope[]], {
  error: (issue) => (typeof issue.input === 'string' ? isScope(issue) : undefined),
});

export const keySchema = z.strictObject({
  id: z.string().describe('key_…, or bootstrap for the admin key of the configuration'),
  kind: z.enum(['admin', 'api']),
  project_id: z.string().nullable().describe('Null for an admin key'),
  name: z.string(),
  prefix: z.string().describe('How the secret begins, to tell keys apart'),
  scopes: z.array(scopeSchema).describe('Empty for an admin key, which may do everything'),
  rate_per_minute: z.int().nullable().describe("Null means the server's own limit"),
  created_at: answerTimeSchema.nullable(),
  expires_at: answerTimeSchema.nullable(),
  last_used_at: answerTimeSchema.nullable(),
  revoked_at: answerTimeSchema.nullable(),
});

/** The answer that makes a key; a repeat of the request gets it without the secret. */
export const madeKeySchema = keySchema.extend({
  secret: z.string().nullable().describe('Shown in this answer alone; null when a keyed request is repeated'),
});

export const adminKeyIdSchema = z
  .string()
  .regex(/^(bootstrap|key_[0-9A-HJKMNP-TV-Z]{26})$/, { error: mustBe('bootstrap, or key_ and a ULID') });

export const expiryField = {
  expires_at: givenTimeSchema.nullable().default(null).describe('When it stops to work; null: never'),
};

export const rateField = {
  rate_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe("Requests a minute; null: the server's own limit"),
};

/** Microseconds of an `expires_at` that was given. */
export function expiryUs(given: string | null): number | null {
  return given === null ? null : parseTime(given);
}

export type KeyAnswer = z.input<typeof keySchema>;

export function keyAnswer(row: Omit<KeyTable, 'secret_hash'>): KeyAnswer {
  return {
    id: row.key_id,
    kind: row.kind,
    project_id: row.project_id,
    name: row.name,
    prefix: row.prefix,
    scopes: scopesOf(row),
    rate_per_minute: row.rate_per_minute,
    created_at: answerTimeOrNull(row.created_us),
    expires_at: answerTimeOrNull(row.expires_us),
    last_used_at: answerTimeOrNull(row.last_used_us),
    revoked_at: answerTimeOrNull(row.revoked_us),
  };
}
