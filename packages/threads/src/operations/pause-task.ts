import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const pauseTask = operation({
  name: 'pause_thread_task',
  call: 'Call it to keep a routine or a watch from running until it is resumed.',
  needs: 'Needs an admin key, and the id of a routine or a watch.',
  returns: 'Returns nothing; a session that it has begun goes on.',
  http: { method: 'POST', path: '/tasks/:task_id/pause', status: 204 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ task_id: reference }),
  output: z.unknown(),
  errors: ['not_found'],
  handle: ({ task_id }, { threads, operator }) => threads.tasks.act(task_id, 'pause', operator),
});
