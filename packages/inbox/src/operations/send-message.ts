import { answer } from '@postern/kit';
import * as z from 'zod';
import { channelIdSchema, messageIdSchema } from '../envelope.ts';
import { fail } from '../errors.ts';
import { operation } from '../operation.ts';

/** A platform's longest message, many times over; longer text is split into parts. */
const LONGEST_TEXT = 100_000;
const MOST_ATTACHMENTS = 10;

const attachmentSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(4_096)
      .optional()
      .describe('Address of the file, http or https'),
    path: z.string().min(1).max(4_096).optional().describe("Absolute path of the file on the hub's machine"),
  })
  .refine(
    ({ url, path }) => (url === undefined) !== (path === undefined),
    'must have exactly one of url and path',
  );

export const sendMessage = operation({
  name: 'send_message',
  call: 'Call it to write to a channel you have had messages from, as an answer with reply_to or on its own.',
  needs:
    'Needs the channel id; each attachment has exactly one of url and path, and a person will read what you send.',
  returns: 'Returns the id of the sent message and when the platform took it.',
  http: {
    method: 'POST',
    path: '/messages/send',
    headers: {
      'idempotency-key': '1 to 255 visible ASCII characters; the same key and body is sent once in 24 hours',
    },
  },
  tool: true,
  rights: { scope: 'send', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({
    channel_id: channelIdSchema,
    text: z.string().max(LONGEST_TEXT).describe('What to say; may be empty when there are attachments'),
    reply_to: messageIdSchema.optional().describe('Message of the same channel this answers'),
    attachments: z.array(attachmentSchema).max(MOST_ATTACHMENTS).optional(),
  }),
  output: z.strictObject({ message_id: z.string(), sent_at: z.string() }),
  errors: [
    'CHANNEL_NOT_FOUND',
    'MESSAGE_NOT_FOUND',
    'ATTACHMENT_TOO_LARGE_FOR_PLATFORM',
    'IDEMPOTENCY_KEY_REUSE',
    'IDEMPOTENCY_IN_PROGRESS',
    'RATE_LIMITED',
    'PLATFORM_AUTH',
    'PLATFORM_SEND_FAILED',
  ],
  async handle(input, context) {
    const key = idempotencyKey(context.header('idempotency-key'));
    const sent = await context.inbox.send(input, context.caller, key, context.signal);
    return answer(sent.answer, sent.replayed ? { 'idempotency-replayed': 'true' } : {});
  },
});

function idempotencyKey(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
  throw fail('VALIDATION_FAILED', message, {
    violations: [{ field: 'Idempotency-Key', code: 'invalid_format', message }],
  });
}
