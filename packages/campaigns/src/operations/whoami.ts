import * as z from 'zod';
import { keySchema } from '../keys/shapes.ts';
import { describeCaller } from '../keys/whoami.ts';
import { operation } from '../operation.ts';
import { projectSchema } from '../projects/shapes.ts';

export const whoami = operation({
  name: 'whoami',
  call: 'Call it to learn which key you hold: its project, its scopes and what is left of its requests.',
  needs: 'Needs any valid key.',
  returns: 'Returns the key without its secret, its project (null with an admin key) and the rate limit.',
  http: { method: 'GET', path: '/whoami' },
  tool: true,
  rights: { scope: 'none', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    key: keySchema,
    project: projectSchema.nullable(),
    rate_limit: z.strictObject({
      limit: z.int().describe('Requests a minute, and how many the bucket holds; 0 means not counted'),
      remaining: z.int(),
      reset_seconds: z.int().describe('Until the bucket is full again'),
    }),
  }),
  errors: [],
  handle: (_input, context) => describeCaller(context),
});
