import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { addressSchema } from '../shapes/address.ts';
import { projectIdField } from '../shapes/common.ts';
import { suppressionReasons, suppressionSchema } from '../suppressions/shapes.ts';
import { pageOfSuppressions } from '../suppressions/suppressions.ts';

export const listSuppressions = operation({
  name: 'list_suppressions',
  call: 'Call it to see which addresses a project must not mail, and why; with email, whether one of them is.',
  needs: 'Needs suppressions:read.',
  returns: 'Returns a page of suppressions, oldest first; email is null for people who were erased.',
  http: { method: 'GET', path: '/suppressions' },
  tool: true,
  rights: { scope: 'suppressions:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    reason: z.enum(suppressionReasons).optional().describe('Only those with this reason'),
    email: addressSchema.optional().describe('Only that of this address; finds erased ones too'),
    ...pageFields('sup'),
  }),
  output: pageSchema(suppressionSchema),
  errors: [],
  async handle({ reason, email, ...request }, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfSuppressions(ports, projectId, { reason, email }, request);
    return { data: rows, next_cursor };
  },
});
