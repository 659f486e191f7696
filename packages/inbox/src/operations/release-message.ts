import * as z from 'zod';
import { envelopeSchema, messageIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const releaseMessage = operation({
  name: 'release_message',
  call: 'Call it to let one message out of quarantine; it becomes unread for every agent, and its sender stays unknown.',
  needs: 'Needs an admin key and a message that is in quarantine.',
  returns: 'Returns the released envelope.',
  http: { method: 'POST', path: '/messages/quarantine/:message_id/release' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ message_id: messageIdSchema }),
  output: z.strictObject({ message: envelopeSchema }),
  errors: ['MESSAGE_NOT_FOUND'],
  async handle(input, { inbox, caller }) {
    return { message: await inbox.release(input.message_id, caller.credential) };
  },
});
