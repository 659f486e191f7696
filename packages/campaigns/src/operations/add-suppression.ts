import * as z from 'zod';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { addressSchema } from '../shapes/address.ts';
import { effectSchema, projectIdField, textSchema } from '../shapes/common.ts';
import { suppressionSchema } from '../suppressions/shapes.ts';
import { addSuppression as add } from '../suppressions/suppressions.ts';

const input = z.strictObject({
  ...projectIdField,
  email: addressSchema,
  note: textSchema(500).nullable().default(null).describe('Why, for whoever asks later'),
});

export const addSuppression = operation({
  name: 'add_suppression',
  call: 'Call it to keep a project from ever mailing an address, whatever list it is on.',
  needs: 'Needs suppressions:write, and confirm: true to do it.',
  returns:
    'Returns the outcome, whose mails end with it, and the suppression: null in a dry run when there is none yet, the present one when already_suppressed.',
  http: { method: 'POST', path: '/suppressions' },
  tool: true,
  rights: { scope: 'suppressions:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({
    outcome: z.enum(['would_add', 'added', 'already_suppressed']),
    effect: effectSchema,
    suppression: suppressionSchema.nullable(),
  }),
  errors: [],
  handle: ({ email, note }, { ports, caller, projectId, dryRun }) =>
    add(ports, caller.keyId, projectId, { email, note }, dryRun),
});
