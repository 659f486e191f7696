import * as z from 'zod';
import { operation } from '../operation.ts';

export const listPairings = operation({
  name: 'list_pairings',
  call: 'Call it to see which strangers hold a pairing code.',
  needs: 'Needs an admin key.',
  returns: 'Returns the codes that can still be approved, oldest first.',
  http: { method: 'GET', path: '/pairings' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    pairings: z.array(
      z.strictObject({
        code: z.string(),
        source: z.string(),
        sender_id: z.string(),
        display_name: z.string(),
        created_at: z.string(),
        expires_at: z.string(),
      }),
    ),
  }),
  errors: [],
  handle: async (_input, { inbox }) => ({ pairings: await inbox.pairings() }),
});
