import * as z from 'zod';
import { operation } from '../operation.ts';
import { emojiName, messageShape, reference, userId } from '../shapes.ts';

export const removeReaction = operation({
  name: 'remove_local_reaction',
  call: 'Call it to take back a reaction to a message of the local chat.',
  needs: 'Needs an admin key, and a message that exists.',
  returns: 'Returns the message; a reaction that was not there is no error.',
  http: { method: 'DELETE', path: '/messages/:message_id/reactions/:emoji' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ message_id: reference, emoji: emojiName, user_id: userId }),
  output: messageShape,
  errors: ['not_found'],
  async handle({ message_id, user_id, emoji }, { chat }) {
    return chat.unreact({ messageId: message_id, userId: user_id, emoji });
  },
});
