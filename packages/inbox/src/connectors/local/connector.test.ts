import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import type { InboundEvent } from '../connector.ts';
import { type ChatEvent, type ChatMessage, type ChatPort, localConnector } from './connector.ts';

const message: ChatMessage = {
  id: 'post_1',
  channel_id: 'local:team',
  thread_id: null,
  user: { id: 'ana', name: 'Ana' },
  text: 'hi',
  reply_to: null,
  attachments: [],
  created_at: '2026-05-01T00:00:00.000Z',
  deleted_at: null,
};

/** What reaches the sink when the chat has these events. */
async function inbound(events: readonly ChatEvent[]): Promise<{ events: InboundEvent[]; cursor: string }> {
  const stop = new AbortController();
  const chat: ChatPort = {
    eventsAfter: async (cursor, limit) => events.filter((event) => event.cursor > cursor).slice(0, limit),
    waitForEvents: async () => stop.abort(),
    channel: async (id) => ({ id, name: 'team', type: 'group' }),
    post: () => Promise.reject(new Error('nothing is posted')),
    typing: async () => {},
    readAttachment: async () => null,
  };
  const accepted: InboundEvent[] = [];
  let cursor = '';
  const sink = {
    async accept(batch: readonly InboundEvent[], at: string) {
      accepted.push(...batch);
      cursor = at;
    },
    channelCursors: async () => new Map<string, string | null>(),
    newestIn: async () => [],
  };
  await localConnector(chat, fakeClock()).run(null, sink, stop.signal);
  return { events: accepted, cursor };
}

test('a message arrives with its channel and sender', async () => {
  const { events } = await inbound([{ cursor: 1, type: 'message.created', data: message }]);
  expect(events).toMatchObject([
    {
      kind: 'message',
      platformId: 'post_1',
      text: 'hi',
      channel: { id: 'local:team' },
      sender: { id: 'ana', displayName: 'Ana' },
    },
  ]);
});

test('the names of files come along in raw', async () => {
  const attachments = [{ id: 'file_1', name: 'plan.pdf', size_bytes: 3 }];
  const { events } = await inbound([
    { cursor: 1, type: 'message.created', data: { ...message, attachments } },
  ]);
  expect(events).toMatchObject([{ raw: { attachments: [{ name: 'plan.pdf', size_bytes: 3 }] } }]);
});

test('a message that was deleted before it was read does not arrive empty', async () => {
  const gone = { ...message, text: '', deleted_at: '2026-05-01T00:00:01.000Z' };
  const { events, cursor } = await inbound([
    { cursor: 1, type: 'message.created', data: gone },
    { cursor: 2, type: 'message.updated', data: gone },
    { cursor: 3, type: 'message.deleted', data: gone },
  ]);
  expect(events).toEqual([{ kind: 'delete', platformId: 'post_1' }]);
  expect(cursor).toBe('3');
});

test("the hub's own messages and reactions are passed over, and the cursor goes on", async () => {
  const { events, cursor } = await inbound([
    { cursor: 1, type: 'message.created', data: { ...message, user: { id: 'postern', name: 'Postern' } } },
    { cursor: 2, type: 'reaction.added', data: {} },
  ]);
  expect(events).toEqual([]);
  expect(cursor).toBe('2');
});
