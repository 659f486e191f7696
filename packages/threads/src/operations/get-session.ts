import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { sessionSchema } from '../shapes.ts';

export const getSession = operation({
  name: 'get_thread_session',
  call: 'Call it to see one agent session.',
  needs: 'Needs an admin key, and the id of a session.',
  returns: 'Returns the session with its people, its folder, its cost and what waits in its queue.',
  http: { method: 'GET', path: '/sessions/:session_id' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ session_id: idSchema('ses') }),
  output: sessionSchema,
  errors: ['not_found'],
  handle: ({ session_id }, { threads }) => threads.session(session_id),
});
