import * as z from 'zod';
import { revokeApiKey as revoke } from '../keys/api-keys.ts';
import { revocationOutcomes } from '../keys/revocation.ts';
import { keySchema } from '../keys/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { effectSchema, keyIdSchema, projectIdField } from '../shapes/common.ts';

const input = z.strictObject({ ...projectIdField, key_id: keyIdSchema });

export const revokeApiKey = operation({
  name: 'revoke_api_key',
  call: 'Call it to take a key of a project out of use, for good.',
  needs: 'Needs keys:write, and confirm: true to do it.',
  returns: 'Returns the outcome, its effect in words, and the key.',
  http: { method: 'DELETE', path: '/api-keys/:key_id' },
  tool: true,
  rights: { scope: 'keys:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({ outcome: z.enum(revocationOutcomes), effect: effectSchema, key: keySchema }),
  errors: ['not_found'],
  handle: ({ key_id }, { ports, caller, projectId, dryRun }) =>
    revoke(ports, caller.keyId, projectId, key_id, dryRun),
});
