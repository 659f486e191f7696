import { expect, test, vi } from 'vitest';
import { message } from '../../test/messages.ts';
import { ApiError } from '../api/http.ts';
import type { LocalMessage, NewMessage } from '../api/local.ts';
import type { StoredValue } from '../lib/storage.ts';
import { createOutbox, type NewOutgoing, type Outgoing, parseOutbox } from './outbox.ts';

const anna = { id: 'anna', name: 'Anna' };
const now = new Date(Date.UTC(2026, 3, 25, 12));

function outgoing(text: string): NewOutgoing {
  return { channelId: 'local:general', threadId: null, replyTo: null, user: anna, text, files: [] };
}

/** An outbox whose sends are answered by the test, one after the other. */
function setUp({ kept = [] }: { kept?: readonly Outgoing[] } = {}) {
  const sends: { body: NewMessage; key: string; settle: PromiseWithResolvers<LocalMessage> }[] = [];
  const sent: LocalMessage[] = [];
  let stored: unknown = kept;
  let keys = 0;
  const storage: StoredValue<readonly Outgoing[]> = {
    read: () => parseOutbox(stored),
    write: (value) => {
      stored = JSON.parse(JSON.stringify(value));
    },
    subscribe: () => () => {},
  };
  const outbox = createOutbox({
    send(body, key) {
      const settle = Promise.withResolvers<LocalMessage>();
      sends.push({ body, key, settle });
      return settle.promise;
    },
    onSent: (one) => sent.push(one),
    encode: async (file) => ({ name: file.name, mime: file.type, data: 'AA==' }),
    now: () => now,
    newKey: () => `key-${++keys}`,
    stored: storage,
  });
  const send = async (index: number) => {
    await vi.waitFor(() => expect(sends.length).toBeGreaterThan(index));
    return sends[index]!;
  };
  return { outbox, sends, sent, send, stored: () => stored };
}

test('messages of a channel leave in the order they were written', async () => {
  const { outbox, sends, sent, send } = setUp();
  outbox.add(outgoing('one'));
  outbox.add(outgoing('two'));
  const first = await send(0);
  expect(sends).toHaveLength(1);
  first.settle.resolve(message({ text: 'one' }));
  const second = await send(1);
  second.settle.resolve(message({ text: 'two' }));
  await vi.waitFor(() => expect(outbox.read()).toEqual([]));
  expect(sent.map(({ text }) => text)).toEqual(['one', 'two']);
});

test('a refused message stays with its reason, holds up nothing, and goes out when it is tried again', async () => {
  const { outbox, send } = setUp();
  outbox.add(outgoing('one'));
  outbox.add(outgoing('two'));
  (await send(0)).settle.reject(new ApiError(422, 'validation_failed', 'text: too long'));
  (await send(1)).settle.resolve(message({ text: 'two' }));
  await vi.waitFor(() => expect(outbox.read()).toHaveLength(1));
  expect(outbox.read()[0]).toMatchObject({ text: 'one', state: 'failed', error: 'text: too long' });
  outbox.retry('key-1');
  (await send(2)).settle.resolve(message({ text: 'one' }));
  await vi.waitFor(() => expect(outbox.read()).toEqual([]));
});

test('a message whose answer was lost goes out again under the same key, another one under its own', async () => {
  const { outbox, sent, send } = setUp();
  outbox.add(outgoing('one'));
  (await send(0)).settle.reject(new ApiError(0, null, 'no answer'));
  await vi.waitFor(() => expect(outbox.read()[0]?.state).toBe('failed'));
  outbox.retry('key-1');
  const again = await send(1);
  expect(again.key).toBe('key-1');
  const arrived = message({ text: 'one' });
  again.settle.resolve(arrived);
  await vi.waitFor(() => expect(outbox.read()).toEqual([]));
  expect(sent).toEqual([arrived]);
  outbox.add(outgoing('one'));
  expect((await send(2)).key).toBe('key-2');
});

test('a message that the stream told of is not shown twice, and no failure is reported for it', async () => {
  const { outbox, send } = setUp();
  outbox.add(outgoing('one'));
  const first = await send(0);
  const stored = message({ text: 'one' });
  outbox.arrived(stored);
  expect(outbox.read()[0]?.arrivedAs).toBe(stored.id);
  first.settle.reject(new ApiError(0, null, 'no answer'));
  await vi.waitFor(() => expect(outbox.read()).toEqual([]));
});

test('what was not sent outlives the page, without the files but with their names', async () => {
  const { outbox, send, stored } = setUp();
  const file = new File(['x'], 'plan.pdf', { type: 'application/pdf' });
  outbox.add({ ...outgoing('see'), files: [{ key: 'file-1', file }] });
  await send(0);
  const later = setUp({ kept: stored() as readonly Outgoing[] });
  expect(later.outbox.read()).toMatchObject([
    { text: 'see', state: 'failed', files: [], lostFiles: ['plan.pdf'] },
  ]);
});

test.each([null, 'x', [1], [{ key: 'k' }], { a: 1 }])(
  'storage with something else in it (%j) is an empty box',
  (found) => {
    expect(parseOutbox(found)).toEqual([]);
  },
);
