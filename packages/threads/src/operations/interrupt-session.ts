import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { sessionSchema } from '../shapes.ts';

export const interruptSession = operation({
  name: 'interrupt_thread_session',
  call: 'Call it to stop what an agent is doing just now, as !escape does in its thread.',
  needs: 'Needs an admin key, and a session that has not ended.',
  returns: 'Returns the session, which goes on with the next message.',
  http: { method: 'POST', path: '/sessions/:session_id/interrupt' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z.strictObject({ session_id: idSchema('ses') }),
  output: sessionSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ session_id }, { threads, operator }) => threads.act(session_id, 'interrupt', operator),
});
