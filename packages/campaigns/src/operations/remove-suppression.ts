import * as z from 'zod';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { effectSchema, projectIdField, suppressionIdSchema } from '../shapes/common.ts';
import { suppressionSchema } from '../suppressions/shapes.ts';
import { removeSuppression as remove } from '../suppressions/suppressions.ts';

const input = z.strictObject({ ...projectIdField, suppression_id: suppressionIdSchema });

export const removeSuppression = operation({
  name: 'remove_suppression',
  call: 'Call it when an address may be mailed again; it takes nobody back on a list they left.',
  needs: 'Needs suppressions:write, and confirm: true to do it.',
  returns:
    'Returns the outcome, what can be mailed again, and the suppression: null once removed, and a repeat is not_found.',
  http: { method: 'DELETE', path: '/suppressions/:suppression_id' },
  tool: true,
  rights: { scope: 'suppressions:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({
    outcome: z.enum(['would_remove', 'removed']),
    effect: effectSchema,
    suppression: suppressionSchema.nullable(),
  }),
  errors: ['not_found'],
  handle: ({ suppression_id }, { ports, caller, projectId, dryRun }) =>
    remove(ports, caller.keyId, projectId, suppression_id, dryRun),
});
