import * as z from 'zod';
import { refuse } from '../checks.ts';
import { operation } from '../operation.ts';
import { messageShape, reference } from '../shapes.ts';

export const listMessages = operation({
  name: 'list_local_messages',
  call: 'Call it to read a channel or a thread of the local chat.',
  needs: 'Needs an admin key, and a channel that exists.',
  returns:
    'Returns messages oldest first: those after the given one, the last ones before it, or else the newest.',
  http: { method: 'GET', path: '/messages' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    channel_id: reference,
    thread_id: reference.optional().describe('Only this thread: its root and the replies'),
    after: reference.optional().describe('Id of a message of the channel; exclusive'),
    before: reference.optional().describe('Id of a message of the channel; exclusive, and not beside after'),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({ data: z.array(messageShape) }),
  errors: ['not_found'],
  async handle({ channel_id, thread_id, after, before, limit }, { chat }) {
    if (after !== undefined && before !== undefined)
      refuse('before', 'not_allowed', 'must not be given beside after');
    const data = await chat.messages({
      channelId: channel_id,
      limit,
      ...(thread_id === undefined ? {} : { threadId: thread_id }),
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
    });
    return { data };
  },
});
