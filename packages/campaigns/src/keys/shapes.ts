import * as z from 'zod';
import { allScopes, type Scope } from '../context.ts';
import { answerTimeOrNull, answerTimeSchema } from '../shapes/common.ts';
import type { KeyTable } from '../tables.ts';
import { scopesOf } from './rows.ts';

export const scopeSchema = z.enum(allScopes as [Scope, ...Scope[]]);

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
