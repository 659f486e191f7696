import * as z from 'zod';
import { senderIdSchema, sourceSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const deleteAllowlistEntry = operation({
  name: 'delete_allowlist_entry',
  call: 'Call it to stop letting a sender in; what was accepted before stays.',
  needs: 'Needs an admin key and an entry that exists.',
  returns: 'Returns nothing.',
  http: { method: 'DELETE', path: '/allowlist/:source/:sender_id', status: 204 },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ source: sourceSchema, sender_id: senderIdSchema }),
  output: z.null(),
  errors: ['NOT_FOUND'],
  async handle(input, { inbox, caller }) {
    await inbox.disallow({ source: input.source, senderId: input.sender_id, actor: caller.credential });
    return null;
  },
});
