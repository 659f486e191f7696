import * as z from 'zod';
import { defaultChatLimits } from '../limits.ts';
import { operation } from '../operation.ts';
import { fileName, mediaType, messageShape, messageText, person, reference } from '../shapes.ts';

const attachment = z.strictObject({
  name: fileName,
  mime: mediaType,
  data: z
    .string()
    .refine(isBase64, 'must be base64 (RFC 4648, section 4) with its padding')
    .meta({ contentEncoding: 'base64' })
    .describe(`The bytes in base64, at most ${defaultChatLimits.attachmentBytes} of them`),
});

export const postMessage = operation({
  name: 'post_local_message',
  call: 'Call it to write into a channel of the local chat as a person.',
  needs: 'Needs an admin key, a channel that exists, and a text or an attachment.',
  returns: 'Returns the message; its author is a member of the channel from then on.',
  http: {
    method: 'POST',
    path: '/messages',
    status: 201,
    headers: {
      'idempotency-key':
        'Posting again with the same key answers the first message; 1 to 200 visible ASCII characters',
    },
  },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    channel_id: reference,
    user: person,
    text: messageText,
    thread_id: reference
      .nullish()
      .describe('Any message of the thread to write into; the new one hangs on its root'),
    reply_to: reference.nullish().describe('The message of this channel that is answered'),
    attachments: z.array(attachment).max(defaultChatLimits.attachmentsPerMessage).optional(),
  }),
  output: messageShape,
  errors: ['not_found', 'validation_failed', 'precondition_failed', 'body_too_large'],
  async handle({ channel_id, user, text, thread_id, reply_to, attachments = [] }, { chat, header }) {
    const key = header('idempotency-key');
    return chat.post({
      channelId: channel_id,
      user,
      text,
      threadId: thread_id ?? null,
      replyTo: reply_to ?? null,
      ...(key === undefined ? {} : { nonce: key }),
      attachments: attachments.map(({ name, mime, data }) => ({
        name,
        mime,
        open: async () => chunks(Buffer.from(data, 'base64')),
      })),
    });
  },
});

/** By decoding and encoding again: a pattern over megabytes could run out of stack. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && Buffer.from(text, 'base64').toString('base64') === text;
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
