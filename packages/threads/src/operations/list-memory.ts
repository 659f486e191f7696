import * as z from 'zod';
import { memorySchema, memoryShape } from '../memory/shape.ts';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const listMemory = operation({
  name: 'list_thread_memory',
  call: 'Call it to read what the agents of a channel are told at the start of each session.',
  needs: 'Needs an admin key.',
  returns: 'Returns all entries of the channel, at most 400, oldest first, each with who wrote it.',
  http: { method: 'GET', path: '/memory' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ platform_id: reference, channel_id: reference }),
  output: z.object({ data: z.array(memorySchema) }),
  errors: [],
  async handle({ platform_id, channel_id }, { threads }) {
    const entries = await threads.memory.list({ platformId: platform_id, channelId: channel_id });
    return { data: entries.map(memoryShape) };
  },
});
