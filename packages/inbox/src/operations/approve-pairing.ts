import * as z from 'zod';
import { allowlistEntrySchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const approvePairing = operation({
  name: 'approve_pairing',
  call: 'Call it when a person has told you the code they were given, to let them in.',
  needs: 'Needs an admin key and a code that is pending and not older than an hour.',
  returns: "Returns the new allowlist entry and how many of the sender's quarantined messages were released.",
  http: { method: 'POST', path: '/pairings/:code/approve' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ code: z.string().min(1).max(64) }),
  output: z.strictObject({ entry: allowlistEntrySchema, released_count: z.int().min(0) }),
  errors: ['NOT_FOUND'],
  handle: (input, { inbox, caller }) => inbox.approvePairing(input.code, caller.credential),
});
