import * as z from 'zod';
import { envelopeSchema, messageIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const listQuarantine = operation({
  name: 'list_quarantine',
  call: 'Call it to review what people who are not on the allowlist wrote, newest first.',
  needs: 'Needs an admin key.',
  returns: 'Returns up to `limit` envelopes; give the last id as `before` for the page after it.',
  http: { method: 'GET', path: '/messages/quarantine' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(50),
    before: messageIdSchema.optional(),
  }),
  output: z.strictObject({ messages: z.array(envelopeSchema) }),
  errors: [],
  async handle(input, { inbox }) {
    return {
      messages: await inbox.quarantine({ limit: input.limit, beforeMessageId: input.before ?? null }),
    };
  },
});
