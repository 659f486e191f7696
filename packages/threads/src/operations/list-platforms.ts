import * as z from 'zod';
import { operation } from '../operation.ts';
import { platformSchema, platformShape } from '../shapes.ts';

export const listPlatforms = operation({
  name: 'list_thread_platforms',
  call: 'Call it to see whether the chat platforms of agent sessions are connected, and what is turned on there.',
  needs: 'Needs an admin key.',
  returns:
    'Returns each configured platform with its status, its channel and its features; standby says that another process runs it.',
  http: { method: 'GET', path: '/platforms' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.object({ data: z.array(platformSchema) }),
  errors: [],
  handle: async (_input, { threads }) => ({
    data: (await threads.platforms()).map(platformShape),
  }),
});
