import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventParser, type ServerEvent } from './event-stream.ts';

function read(chunks: readonly string[]) {
  const events: ServerEvent[] = [];
  const ids: string[] = [];
  const parse = eventParser(
    (event) => events.push(event),
    (id) => ids.push(id),
  );
  for (const chunk of chunks) parse(chunk);
  return { events, ids };
}

const stream =
  'retry: 1000\nid: 7\n\n: beat\n\nid: 8\nevent: message.created\ndata: {"a":1}\n\nid: 9\r\nevent: typing\r\ndata: one\r\ndata: two\r\n\r\n';

test('events, their types and ids are read; comments and empty events are not', () => {
  expect(read([stream])).toEqual({
    events: [
      { type: 'message.created', data: '{"a":1}' },
      { type: 'typing', data: 'one\ntwo' },
    ],
    ids: ['7', '8', '9'],
  });
});

test('where the chunks are cut makes no difference', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), stream.length];
      const chunks = places.slice(1).map((end, index) => stream.slice(places[index], end));
      expect(read(chunks)).toEqual(read([stream]));
    }),
  );
});

test('an event without a type is a message, and one that is not ended is not given', () => {
  expect(read(['data: x\n\ndata: half']).events).toEqual([{ type: 'message', data: 'x' }]);
});
