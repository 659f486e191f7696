import * as z from 'zod';
import { allowlistEntrySchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const listAllowlist = operation({
  name: 'list_allowlist',
  call: 'Call it to see whose messages reach agents.',
  needs: 'Needs an admin key.',
  returns: 'Returns every entry, by source and sender id.',
  http: { method: 'GET', path: '/allowlist' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({ entries: z.array(allowlistEntrySchema) }),
  errors: [],
  handle: async (_input, { inbox }) => ({ entries: await inbox.allowlist() }),
});
