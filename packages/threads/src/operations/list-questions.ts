import * as z from 'zod';
import { operation } from '../operation.ts';
import { questionSchema, reference } from '../shapes.ts';

export const listQuestions = operation({
  name: 'list_thread_questions',
  call: 'Call it to see what agents wait for people to decide, and what was decided.',
  needs: 'Needs an admin key.',
  returns: 'Returns questions, newest first, with their options, and with who decided those that are closed.',
  http: { method: 'GET', path: '/questions' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    state: z.enum(['open', 'closed']).optional(),
    platform_id: reference.optional(),
    session_id: reference.optional(),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({ data: z.array(questionSchema) }),
  errors: [],
  handle: async ({ state, platform_id, session_id, limit }, { threads }) => ({
    data: await threads.questions({
      limit,
      ...(state === undefined ? {} : { state }),
      ...(platform_id === undefined ? {} : { platformId: platform_id }),
      ...(session_id === undefined ? {} : { sessionId: session_id }),
    }),
  }),
});
