import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const resumeTask = operation({
  name: 'resume_thread_task',
  call: 'Call it to let a routine or a watch run again that is paused or was switched off.',
  needs: 'Needs an admin key, and the id of a routine or a watch.',
  returns: 'Returns nothing; what it has missed meanwhile is not made up for.',
  http: { method: 'POST', path: '/tasks/:task_id/resume', status: 204 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ task_id: reference }),
  output: z.unknown(),
  errors: ['not_found'],
  handle: ({ task_id }, { threads, operator }) => threads.tasks.act(task_id, 'resume', operator),
});
