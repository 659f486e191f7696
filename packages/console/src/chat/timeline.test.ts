import { describe, expect, test } from 'vitest';
import { message } from '../../test/messages.ts';
import {
  applyEvent,
  changeReactions,
  parseChatEvent,
  type Timeline,
  threadSummaries,
  withNewestPage,
} from './timeline.ts';

const [a, b, c, d] = [message(), message(), message(), message()] as const;
const timeline = (...messages: Timeline['messages']): Timeline => ({ messages, atStart: true, atEnd: true });

describe('pages', () => {
  test('the newest page is put onto what is loaded', () => {
    const merged = withNewestPage({ messages: [a, b], atStart: true, atEnd: true }, [b, c], 2);
    expect(merged).toEqual({ messages: [a, b, c], atStart: true, atEnd: true });
  });

  test('a page that doesn’t reach back replaces it, so that no hole looks like a whole', () => {
    const merged = withNewestPage({ messages: [a], atStart: true, atEnd: true }, [c, d], 2);
    expect(merged).toEqual({ messages: [c, d], atStart: false, atEnd: true });
  });

  test('a page that is not full is all there is', () => {
    expect(withNewestPage(undefined, [a], 2)).toEqual({ messages: [a], atStart: true, atEnd: true });
  });

  test('a page read before an edit does not undo the edit', () => {
    const edited = { ...b, text: 'new', edited_at: '2026-04-25T13:00:00.000Z' };
    expect(withNewestPage(timeline(a, edited), [a, b], 50).messages).toEqual([a, edited]);
    const deleted = { ...b, text: '', deleted_at: '2026-04-25T13:00:00.000Z' };
    expect(withNewestPage(timeline(a, deleted), [a, b], 50).messages).toEqual([a, deleted]);
  });
});

describe('events', () => {
  test('a message is added once, in its place', () => {
    const once = applyEvent(timeline(a, c), { type: 'message.created', message: b }, null);
    const twice = applyEvent(once, { type: 'message.created', message: b }, null);
    expect(twice.messages).toEqual([a, b, c]);
  });

  test('a stretch of the past takes no new messages', () => {
    const past = { ...timeline(a), atEnd: false };
    expect(applyEvent(past, { type: 'message.created', message: d }, null)).toBe(past);
  });

  test('a thread takes its own replies only', () => {
    const reply = message({ thread_id: a.id });
    const thread = timeline(a);
    expect(applyEvent(thread, { type: 'message.created', message: d }, a.id).messages).toEqual([a]);
    expect(applyEvent(thread, { type: 'message.created', message: reply }, a.id).messages).toEqual([
      a,
      reply,
    ]);
  });

  test('reactions of several people gather, and vanish with the last', () => {
    const added = changeReactions([], { type: 'reaction.added', emoji: '+1', userId: 'anna' });
    const both = changeReactions(added, { type: 'reaction.added', emoji: '+1', userId: 'mei' });
    expect(both).toEqual([{ emoji: '+1', user_ids: ['anna', 'mei'] }]);
    expect(changeReactions(both, { type: 'reaction.added', emoji: '+1', userId: 'mei' })).toEqual(both);
    const one = changeReactions(both, { type: 'reaction.removed', emoji: '+1', userId: 'anna' });
    expect(changeReactions(one, { type: 'reaction.removed', emoji: '+1', userId: 'mei' })).toEqual([]);
  });

  test('the stream’s data is read for what it is, and the rest is left alone', () => {
    expect(parseChatEvent('message.created', JSON.stringify(a))).toEqual({
      type: 'message.created',
      message: a,
    });
    const typing = { message_id: null, channel_id: 'local:general', user_id: 'mei', emoji: null };
    expect(parseChatEvent('typing', JSON.stringify(typing))).toEqual({
      type: 'typing',
      channelId: 'local:general',
      user: { id: 'mei', name: 'mei' },
    });
    expect(parseChatEvent('message.created', 'no json')).toBeNull();
    expect(parseChatEvent('something.new', JSON.stringify(a))).toBeNull();
    expect(parseChatEvent('reaction.added', JSON.stringify(typing))).toBeNull();
  });
});

test('a thread is summed up by its replies that are not deleted', () => {
  const replies = [
    message({ thread_id: a.id }),
    message({ thread_id: a.id, user: { id: 'mei', name: 'Mei' } }),
    message({ thread_id: a.id, deleted_at: '2026-04-25T13:00:00.000Z' }),
  ];
  expect(threadSummaries([a, ...replies]).get(a.id)).toEqual({
    count: 2,
    lastAt: replies[1]?.created_at,
    people: [
      { id: 'anna', name: 'Anna' },
      { id: 'mei', name: 'Mei' },
    ],
  });
});
