import * as z from 'zod';
import { operation } from '../operation.ts';
import { taskSchema } from '../unattended/task-shape.ts';

export const listTasks = operation({
  name: 'list_thread_tasks',
  call: 'Call it to see what is done unasked: routines, which run by the clock, or watches, which messages set off.',
  needs: 'Needs an admin key.',
  returns: 'Returns all of a kind, oldest first, each with its next run and its latest ones.',
  http: { method: 'GET', path: '/tasks' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ kind: z.enum(['routine', 'watch']) }),
  output: z.object({ data: z.array(taskSchema) }),
  errors: [],
  handle: async ({ kind }, { threads }) => ({ data: await threads.tasks.list(kind) }),
});
