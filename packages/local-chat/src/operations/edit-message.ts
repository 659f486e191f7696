import * as z from 'zod';
import { operation } from '../operation.ts';
import { messageShape, messageText, reference, userId } from '../shapes.ts';

export const editMessage = operation({
  name: 'edit_local_message',
  call: 'Call it to replace the text of a message of the local chat.',
  needs: 'Needs an admin key, and the author of the message, which is not deleted, as user_id.',
  returns: 'Returns the message as it is now.',
  http: { method: 'PATCH', path: '/messages/:message_id' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ message_id: reference, user_id: userId, text: messageText }),
  output: messageShape,
  errors: ['not_found', 'forbidden', 'validation_failed', 'precondition_failed'],
  async handle({ message_id, user_id, text }, { chat }) {
    return chat.edit({ messageId: message_id, userId: user_id, text });
  },
});
