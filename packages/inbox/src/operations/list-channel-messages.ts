import * as z from 'zod';
import { channelIdSchema, envelopeSchema, messageIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const listChannelMessages = operation({
  name: 'list_channel_messages',
  call: 'Call it to read a conversation as the operator and see which agents have read what.',
  needs: 'Needs an admin key and a known channel.',
  returns: 'Returns the newest messages, oldest first, and `next_before` for the page before them.',
  http: { method: 'GET', path: '/channels/:channel_id/messages' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({
    channel_id: channelIdSchema,
    before: messageIdSchema.optional(),
    limit: z.int().min(1).max(100).default(50),
  }),
  output: z.strictObject({
    messages: z.array(
      envelopeSchema.extend({
        edited_at: z.string().nullable(),
        deleted_at: z.string().nullable(),
        read_by: z.array(z.strictObject({ agent_id: z.string(), read_at: z.string() })),
      }),
    ),
    next_before: z.string().nullable(),
  }),
  errors: ['CHANNEL_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  handle: (input, { inbox }) =>
    inbox.conversation({
      channelId: input.channel_id,
      beforeMessageId: input.before ?? null,
      limit: input.limit,
    }),
});
