import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deleteEvents, messageEvents, updateEvents } from './translate.ts';

const around = { selfId: '9', type: 'group', name: 'general' } as const;
const noBytes = () => Promise.reject(new Error('nothing is fetched'));
const events = (payload: unknown) => messageEvents(payload, around, noBytes);

const message = {
  id: '100',
  channel_id: '50',
  type: 0,
  author: { id: '7', username: 'ana', global_name: 'Ana' },
  content: 'hello',
  timestamp: '2026-05-01T12:00:00.123000+00:00',
  edited_timestamp: null,
};

test('a message has its place, sender, text and time', () => {
  expect(events(message)).toMatchObject([
    {
      kind: 'message',
      platformId: '100',
      channel: { id: 'discord:channel:50', type: 'group', name: 'general' },
      sender: { id: '7', displayName: 'Ana' },
      text: 'hello',
      replyToPlatformId: null,
      timestampMs: Date.parse('2026-05-01T12:00:00.123Z'),
      raw: message,
    },
  ]);
});

test.each([
  ['the name of the server', { member: { nick: 'Boss' } }, 'Boss'],
  ['the name of the account', {}, 'Ana'],
  ['the handle', { author: { id: '7', username: 'ana', global_name: null } }, 'ana'],
  ['the id, where there is nothing else', { author: { id: '7' } }, '7'],
])('a sender is called by %s', (_, more, name) => {
  expect(events({ ...message, ...more })).toMatchObject([{ sender: { displayName: name } }]);
});

test('a reply says what it answers, and a forward does not', () => {
  const reference = { message_id: '99', channel_id: '50' };
  expect(events({ ...message, type: 19, message_reference: reference })).toMatchObject([
    { replyToPlatformId: '99' },
  ]);
  const snapshots = [{ message: { content: 'said elsewhere', attachments: [] } }];
  expect(
    events({
      ...message,
      content: '',
      message_reference: { ...reference, type: 1 },
      message_snapshots: snapshots,
    }),
  ).toMatchObject([{ text: 'said elsewhere', replyToPlatformId: null }]);
});

test('a message that was changed before it was read comes with its change', () => {
  const edited = { ...message, edited_timestamp: '2026-05-01T12:01:00+00:00' };
  expect(events(edited).map(({ kind }) => kind)).toEqual(['message', 'edit']);
});

test.each([
  ['of the account', { author: { id: '9', username: 'helper' } }],
  ['of a bot', { author: { id: '8', username: 'beep', bot: true } }],
  ['of a webhook', { webhook_id: '1' }],
  ['of the system', { type: 7 }],
])('a message %s is none', (_, more) => {
  expect(events({ ...message, ...more })).toEqual([]);
});

test('an update without a text, or of a bot, changes nothing', () => {
  expect(updateEvents({ id: '100', channel_id: '50', embeds: [{}] }, '9')).toEqual([]);
  expect(updateEvents({ ...message, author: { id: '8', bot: true } }, '9')).toEqual([]);
  expect(updateEvents({ ...message, content: 'new' }, '9')).toMatchObject([{ kind: 'edit', text: 'new' }]);
});

test('an update says which files are left, where it speaks of files', () => {
  const attachments = [{ id: '1', filename: 'a', size: 1, url: null }];
  expect(updateEvents({ ...message, attachments }, '9')).toMatchObject([{ attachmentKeys: ['1'] }]);
  expect(updateEvents({ ...message, attachments: [] }, '9')).toMatchObject([{ attachmentKeys: [] }]);
  expect(updateEvents(message, '9')[0]).not.toHaveProperty('attachmentKeys');
  for (const odd of [[{ filename: 'a' }], 'none', [{ id: 7, filename: 'a', size: 1 }]]) {
    expect(updateEvents({ ...message, attachments: odd }, '9')[0]).not.toHaveProperty('attachmentKeys');
  }
});

test('an update of a forward keeps what it forwards', () => {
  const forward = {
    ...message,
    content: '',
    attachments: [],
    message_reference: { type: 1, message_id: '99' },
  };
  const snapshot = { content: 'said elsewhere', attachments: [{ id: '3', filename: 'a', size: 1 }] };
  expect(updateEvents({ ...forward, message_snapshots: [{ message: snapshot }] }, '9')).toMatchObject([
    { text: 'said elsewhere', attachmentKeys: ['3'] },
  ]);
  expect(updateEvents(forward, '9')).toEqual([]);
});

test('many messages can end at once', () => {
  expect(deleteEvents({ ids: ['1', '2'], channel_id: '50' })).toEqual([
    { kind: 'delete', platformId: '1' },
    { kind: 'delete', platformId: '2' },
  ]);
});

test('whatever Discord may send in the place of a message is taken or passed over, and never thrown at', () => {
  const broken = fc.record(
    Object.fromEntries(
      Object.entries(message).map(([key, value]) => [
        key,
        fc.oneof(fc.constant<unknown>(value), fc.anything()),
      ]),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(broken, fc.anything()), (payload) => {
      for (const event of [...events(payload), ...updateEvents(payload, '9'), ...deleteEvents(payload)]) {
        expect(event.platformId).toMatch(/^\d{1,20}$/);
      }
    }),
  );
});
