import * as z from 'zod';
import { createApiKey as create } from '../keys/api-keys.ts';
import { expiryField, expiryUs, madeKeySchema, rateField, scopeSchema } from '../keys/shapes.ts';
import { operation } from '../operation.ts';
import { nameSchema, projectIdField } from '../shapes/common.ts';

export const createApiKey = operation({
  name: 'create_api_key',
  call: 'Call it to make a key for a program or an agent that works in one project.',
  needs: 'Needs keys:write; an API key grants only scopes it holds, and no later expiry than its own.',
  returns: 'Returns the key with its secret, which is shown this once and never again.',
  http: { method: 'POST', path: '/api-keys', status: 201 },
  tool: true,
  rights: { scope: 'keys:write', project: 'context', future: ['expires_at'] },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    name: nameSchema,
    scopes: z.array(scopeSchema).min(1).max(50),
    ...expiryField,
    ...rateField,
  }),
  output: madeKeySchema,
  errors: [],
  handle: (input, { ports, caller, projectId }) =>
    create(ports, caller, projectId, {
      name: input.name,
      scopes: input.scopes,
      expiresUs: expiryUs(input.expires_at),
      ratePerMinute: input.rate_per_minute,
    }),
});
