import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';

export const deleteMemory = operation({
  name: 'delete_thread_memory',
  call: 'Call it to have an entry of a memory forgotten, as !memory forget does.',
  needs: 'Needs an admin key, and the id of an entry.',
  returns: 'Returns nothing; the record keeps what was forgotten and by whom.',
  http: { method: 'DELETE', path: '/memory/:memory_id', status: 204 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({ memory_id: idSchema('mem') }),
  output: z.unknown(),
  errors: ['not_found'],
  handle: ({ memory_id }, { threads, operator }) => threads.memory.forget(memory_id, operator),
});
