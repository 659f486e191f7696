import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { memorySchema, memoryShape, memoryText } from '../memory/shape.ts';
import { operation } from '../operation.ts';

export const editMemory = operation({
  name: 'edit_thread_memory',
  call: 'Call it to put an entry of a memory into other words.',
  needs: 'Needs an admin key, and the id of an entry.',
  returns: 'Returns the entry, which is now a person’s: yours; the record has what it was before.',
  http: { method: 'PATCH', path: '/memory/:memory_id' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ memory_id: idSchema('mem'), text: memoryText }),
  output: memorySchema,
  errors: ['not_found', 'validation_failed', 'conflict'],
  handle: async ({ memory_id, text }, { threads, operator }) =>
    memoryShape(await threads.memory.edit(memory_id, text, operator)),
});
