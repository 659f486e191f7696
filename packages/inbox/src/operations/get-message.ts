import * as z from 'zod';
import { envelopeSchema, messageIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const getMessage = operation({
  name: 'get_message',
  call: 'Call it to read one message again, for instance to get fresh attachment addresses.',
  needs: 'Needs the message id; a message in quarantine is as good as unknown.',
  returns: 'Returns the envelope.',
  http: { method: 'GET', path: '/messages/:message_id' },
  rights: { scope: 'read', agent: 'required' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({ message_id: messageIdSchema }),
  output: envelopeSchema,
  errors: ['AGENT_ID_REQUIRED', 'MESSAGE_NOT_FOUND'],
  handle: (input, { inbox }) => inbox.message(input.message_id),
});
