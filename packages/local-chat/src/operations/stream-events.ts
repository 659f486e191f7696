import * as z from 'zod';
import { refuse } from '../checks.ts';
import { operation } from '../operation.ts';

const LAST_EVENT_ID = 'last-event-id';

export const streamEvents = operation({
  name: 'stream_local_events',
  call: 'Call it to follow the local chat live, as server-sent events.',
  needs: 'Needs an admin key; Last-Event-ID resumes after that event.',
  returns:
    'Returns message.created, message.updated and message.deleted with the message, reaction.added, ' +
    'reaction.removed and typing with {message_id, channel_id, user_id, emoji}.',
  http: {
    method: 'GET',
    path: '/events',
    produces: 'text/event-stream',
    headers: { [LAST_EVENT_ID]: 'Id of the last event that was received; without it, events from now on.' },
  },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.unknown(),
  errors: ['rate_limited', 'validation_failed'],
  async handle(_input, { chat, closing, header }) {
    const lastEventId = parseEventId(header(LAST_EVENT_ID));
    return {
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // A proxy that collects before it passes on would make the stream useless.
        'x-accel-buffering': 'no',
      },
      body: await chat.eventStream({ closing, ...(lastEventId === null ? {} : { lastEventId }) }),
    };
  },
});

function parseEventId(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  if (!/^\d{1,15}$/.test(text)) refuse('Last-Event-ID', 'invalid_format', 'must be the id of an event');
  return Number(text);
}
