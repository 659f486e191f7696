import { idSchema } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { sessionSchema } from '../shapes.ts';

export const endSession = operation({
  name: 'end_thread_session',
  call: 'Call it to end an agent session for good, as !stop does in its thread.',
  needs: 'Needs an admin key, and a session that has not ended.',
  returns: 'Returns the session, now ended; its thread says who ended it.',
  http: { method: 'POST', path: '/sessions/:session_id/end' },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({ session_id: idSchema('ses') }),
  output: sessionSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ session_id }, { threads, operator }) => threads.act(session_id, 'end', operator),
});
