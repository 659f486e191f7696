import * as z from 'zod';
import { revokeAdminKey as revoke } from '../keys/admin-keys.ts';
import { revocationOutcomes } from '../keys/revocation.ts';
import { adminKeyIdSchema, keySchema } from '../keys/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { effectSchema } from '../shapes/common.ts';

const input = z.strictObject({ key_id: adminKeyIdSchema });

export const revokeAdminKey = operation({
  name: 'revoke_admin_key',
  call: 'Call it to take an admin key out of use, for good.',
  needs: 'Needs an admin key, another admin key that still works, and confirm: true to do it.',
  returns: 'Returns the outcome, its effect in words, and the key.',
  http: { method: 'DELETE', path: '/admin-keys/:key_id' },
  tool: true,
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({ outcome: z.enum(revocationOutcomes), effect: effectSchema, key: keySchema }),
  errors: ['not_found', 'precondition_failed'],
  handle: ({ key_id }, { ports, caller, dryRun }) => revoke(ports, caller.keyId, key_id, dryRun),
});
