import * as z from 'zod';
import { allowlistEntrySchema } from '../access/shapes.ts';
import { senderIdSchema, sourceSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const putAllowlistEntry = operation({
  name: 'put_allowlist_entry',
  call: 'Call it to let a sender in, or change the name or person an entry gives them.',
  needs: "Needs an admin key and the platform's immutable sender id; a name never grants access.",
  returns: 'Returns the entry and how many quarantined messages were released with it.',
  http: { method: 'PUT', path: '/allowlist/:source/:sender_id', query: ['release'] },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    source: sourceSchema,
    sender_id: senderIdSchema,
    display_name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .optional()
      .describe("Shown instead of the platform's name"),
    person_id: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .optional()
      .describe('Your own id of the person, the same on every platform'),
    release: z.boolean().default(false).describe('Also release what the sender has in quarantine'),
  }),
  output: z.strictObject({ entry: allowlistEntrySchema, released_count: z.int().min(0) }),
  errors: [],
  handle: (input, { inbox, caller }) =>
    inbox.allow({
      source: input.source,
      senderId: input.sender_id,
      displayName: input.display_name,
      personId: input.person_id,
      release: input.release,
      actor: caller.credential,
    }),
});
