import * as z from 'zod';
import { memorySchema, memoryShape, memoryText } from '../memory/shape.ts';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const addMemory = operation({
  name: 'add_thread_memory',
  call: 'Call it to have a fact told to the agents of a channel, as !remember does there.',
  needs: 'Needs an admin key, and a channel that is listened in or has a memory.',
  returns: 'Returns the entry; a fact that is there already is a conflict.',
  http: { method: 'POST', path: '/memory', status: 201 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ platform_id: reference, channel_id: reference, text: memoryText }),
  output: memorySchema,
  errors: ['not_found', 'validation_failed', 'conflict'],
  async handle({ platform_id, channel_id, text }, { threads, operator }) {
    const place = { platformId: platform_id, channelId: channel_id };
    return memoryShape(await threads.memory.add(place, text, operator));
  },
});
