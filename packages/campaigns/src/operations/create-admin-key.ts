import * as z from 'zod';
import { createAdminKey as create } from '../keys/admin-keys.ts';
import { expiryField, expiryUs, madeKeySchema, rateField } from '../keys/shapes.ts';
import { operation } from '../operation.ts';
import { nameSchema } from '../shapes/common.ts';

export const createAdminKey = operation({
  name: 'create_admin_key',
  call: 'Call it to make a key that may do everything in every project; make an API key where one project is enough.',
  needs: 'Needs an admin key.',
  returns: 'Returns the key with its secret, which is shown this once and never again.',
  http: { method: 'POST', path: '/admin-keys', status: 201 },
  tool: true,
  rights: { scope: 'admin', project: 'none', future: ['expires_at'] },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ name: nameSchema, ...expiryField, ...rateField }),
  output: madeKeySchema,
  errors: [],
  handle: (input, { ports, caller }) =>
    create(ports, caller.keyId, {
      name: input.name,
      expiresUs: expiryUs(input.expires_at),
      ratePerMinute: input.rate_per_minute,
    }),
});
