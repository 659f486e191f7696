import * as z from 'zod';
import { memoryChannelSchema, memoryChannelShape } from '../memory/shape.ts';
import { operation } from '../operation.ts';

export const listMemoryChannels = operation({
  name: 'list_thread_memory_channels',
  call: 'Call it to see which channels have a memory, and how many entries each.',
  needs: 'Needs an admin key.',
  returns: 'Returns every channel with entries, and every channel that is listened in.',
  http: { method: 'GET', path: '/memory/channels' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.object({ data: z.array(memoryChannelSchema) }),
  errors: [],
  handle: async (_input, { threads }) => ({
    data: (await threads.memory.channels()).map(memoryChannelShape),
  }),
});
