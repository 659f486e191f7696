import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const answerQuestion = operation({
  name: 'answer_thread_question',
  call: 'Call it to decide what an agent waits for, in place of a reaction on the platform.',
  needs: 'Needs an admin key, and a question that is open; the record says which operator decided it.',
  returns: 'Returns nothing.',
  http: { method: 'POST', path: '/questions/:question_id/answer', status: 204 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input: z.strictObject({
    question_id: reference,
    option: z.string().min(1).max(64).describe('The key of one of its options'),
  }),
  output: z.unknown(),
  errors: ['not_found', 'precondition_failed'],
  handle: ({ question_id, option }, { threads, operator }) => threads.answer(question_id, option, operator),
});
