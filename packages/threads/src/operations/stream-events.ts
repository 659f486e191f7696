import * as z from 'zod';
import { operation } from '../operation.ts';

export const streamThreadEvents = operation({
  name: 'stream_thread_events',
  call: 'Call it to be told, as server-sent events, when sessions, questions, or routines and watches have changed.',
  needs: 'Needs an admin key.',
  returns:
    'Returns events session, question and task, each with the id of what changed; ask for it to see how it is.',
  http: { method: 'GET', path: '/events', produces: 'text/event-stream' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.unknown(),
  errors: ['rate_limited'],
  handle: async (_input, { threads, closing }) => ({
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy that collects before it passes on would make the stream useless.
      'x-accel-buffering': 'no',
    },
    body: threads.changes(closing),
  }),
});
