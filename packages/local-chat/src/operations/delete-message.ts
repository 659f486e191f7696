import * as z from 'zod';
import { operation } from '../operation.ts';
import { messageShape, reference, userId } from '../shapes.ts';

export const deleteMessage = operation({
  name: 'delete_local_message',
  call: 'Call it to take back a message of the local chat with all it holds.',
  needs: 'Needs an admin key, and the author of the message as user_id.',
  returns: 'Returns what is left: the message without text, attachments and reactions.',
  http: { method: 'DELETE', path: '/messages/:message_id' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ message_id: reference, user_id: userId }),
  output: messageShape,
  errors: ['not_found', 'forbidden'],
  async handle({ message_id, user_id }, { chat }) {
    return chat.remove({ messageId: message_id, userId: user_id });
  },
});
