import * as z from 'zod';
import { operation } from '../operation.ts';
import { emojiName, messageShape, reference, userId } from '../shapes.ts';

export const addReaction = operation({
  name: 'add_local_reaction',
  call: 'Call it to react to a message of the local chat with an emoji.',
  needs: 'Needs an admin key, and a message that is not deleted.',
  returns: 'Returns the message; a reaction that was there already counts once.',
  http: { method: 'POST', path: '/messages/:message_id/reactions' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ message_id: reference, user_id: userId, emoji: emojiName }),
  output: messageShape,
  errors: ['not_found', 'precondition_failed'],
  async handle({ message_id, user_id, emoji }, { chat }) {
    return chat.react({ messageId: message_id, userId: user_id, emoji });
  },
});
