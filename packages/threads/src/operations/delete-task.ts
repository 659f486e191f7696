import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const deleteTask = operation({
  name: 'delete_thread_task',
  call: 'Call it to delete a routine or a watch with the list of its runs.',
  needs: 'Needs an admin key, and the id of a routine or a watch.',
  returns: 'Returns nothing; a session that it has begun goes on.',
  http: { method: 'DELETE', path: '/tasks/:task_id', status: 204 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: z.strictObject({ task_id: reference }),
  output: z.unknown(),
  errors: ['not_found'],
  handle: ({ task_id }, { threads, operator }) => threads.tasks.act(task_id, 'delete', operator),
});
