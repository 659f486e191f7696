import * as z from 'zod';
import { messageIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const markRead = operation({
  name: 'mark_read',
  call: 'Call it when you have dealt with messages, so that they no longer appear in list_unread_messages.',
  needs:
    'Needs up to 1,000 message ids; ids that are unknown are passed over, and other agents are not affected.',
  returns: 'Returns `marked_count`, the number of different ids you gave.',
  http: { method: 'POST', path: '/messages/mark_read' },
  tool: true,
  rights: { scope: 'read', agent: 'required' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    message_ids: z.array(messageIdSchema).max(1_000).describe('Ids of the messages you are done with'),
  }),
  output: z.strictObject({ marked_count: z.int().min(0) }),
  errors: ['AGENT_ID_REQUIRED'],
  async handle(input, { inbox, caller }) {
    await inbox.markRead(caller.agentId ?? '', input.message_ids);
    return { marked_count: new Set(input.message_ids).size };
  },
});
