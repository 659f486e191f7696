import { expect, test } from 'vitest';
import { unreadNotes } from './unread-notes.ts';

/** `u` unread, `r` read by an agent, `o` sent by one, `d` deleted. */
function notesOf(kinds: string, isWhole = true): Record<string, string> {
  const messages = [...kinds].map((kind, index) => ({
    id: String(index),
    direction: kind === 'o' ? ('outbound' as const) : ('inbound' as const),
    deleted_at: kind === 'd' ? '2026-01-01T00:00:00Z' : null,
    read_by: kind === 'r' ? [{ agent_id: 'claude', read_at: '2026-01-01T00:00:00Z' }] : [],
  }));
  return Object.fromEntries(unreadNotes(messages, isWhole));
}

test('it is said once under messages that follow each other', () => {
  expect(notesOf('ruuu')).toEqual({ 3: 'No agent has read these 3 messages yet' });
  expect(notesOf('uru')).toEqual({ 0: 'No agent has read this yet', 2: 'No agent has read this yet' });
  expect(notesOf('rr')).toEqual({});
});

test('a conversation that nobody has read says so as a whole', () => {
  expect(notesOf('uuu')).toEqual({ 2: 'No agent has read this conversation yet' });
  expect(notesOf('u')).toEqual({ 0: 'No agent has read this yet' });
  expect(notesOf('uuu', false)).toEqual({ 2: 'No agent has read these messages yet' });
});

test('what agents sent and what was deleted is not for them to read', () => {
  expect(notesOf('ruoud')).toEqual({ 3: 'No agent has read these 2 messages yet' });
  expect(notesOf('od')).toEqual({});
});
