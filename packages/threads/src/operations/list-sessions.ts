import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference, sessionSchema } from '../shapes.ts';

export const listSessions = operation({
  name: 'list_thread_sessions',
  call: 'Call it to see which agent sessions run in chat threads, or ran there.',
  needs: 'Needs an admin key.',
  returns: 'Returns a page of sessions, newest first; next_cursor is null on the last one.',
  http: { method: 'GET', path: '/sessions' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    state: z
      .enum(['live', 'ended'])
      .optional()
      .describe('Only those that have not ended, or only those that have'),
    platform_id: reference.optional().describe('Only those of this platform'),
    limit: z.int().min(1).max(100).default(50),
    cursor: idSchema('ses').optional().describe('next_cursor of the page before'),
  }),
  output: z.object({ data: z.array(sessionSchema), next_cursor: z.string().nullable() }),
  errors: [],
  handle: ({ state, platform_id, limit, cursor }, { threads }) =>
    threads.sessions({
      limit,
      ...(state === undefined ? {} : { state }),
      ...(platform_id === undefined ? {} : { platformId: platform_id }),
      ...(cursor === undefined ? {} : { before: cursor }),
    }),
});
