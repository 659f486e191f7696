import * as z from 'zod';
import { pageOfAdminKeys } from '../keys/admin-keys.ts';
import { keySchema } from '../keys/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';

export const listAdminKeys = operation({
  name: 'list_admin_keys',
  call: 'Call it to see which admin keys there are and when they were last used.',
  needs: 'Needs an admin key.',
  returns:
    "Returns a page of keys without their secrets: bootstrap, the configuration's, then the others by age.",
  http: { method: 'GET', path: '/admin-keys' },
  tool: true,
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject(pageFields('key')),
  output: pageSchema(keySchema),
  errors: [],
  async handle(input, { ports }) {
    const { keys, next_cursor } = await pageOfAdminKeys(ports, input);
    return { data: keys, next_cursor };
  },
});
