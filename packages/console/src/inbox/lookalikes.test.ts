import { expect, test } from 'vitest';
import type { AllowlistEntry, Envelope } from '../api/inbox.ts';
import { lookalikesOf } from './lookalikes.ts';

const entry = (senderId: string, name: string | null): AllowlistEntry => ({
  source: 'discord',
  sender_id: senderId,
  display_name: name,
  person_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
});

const held = (senderId: string, name: string): Envelope => ({
  id: `msg_${senderId}`,
  source: 'discord',
  channel_id: 'discord:dm:1',
  channel_type: 'dm',
  sender: { id: senderId, display_name: name, person_id: null },
  text: '',
  attachments: [],
  reply_to: null,
  timestamp: '2026-01-01T00:00:00.000Z',
  direction: 'inbound',
  raw: {},
});

const sender = { source: 'discord', senderId: '2', name: 'Anna Bërg' };

test('a stranger with the name of somebody allowed is pointed out, however it is written', () => {
  expect(lookalikesOf(sender, [held('2', 'Anna Bërg')], [entry('1', 'anna  berg')])).toEqual([
    { name: 'anna  berg', source: 'discord', senderId: '1', allowed: true },
  ]);
});

test('two strangers of one name are pointed out, each once', () => {
  const waiting = [held('2', 'Anna Bërg'), held('3', 'Anna Berg'), held('3', 'Anna Berg')];
  expect(lookalikesOf(sender, waiting, [])).toEqual([
    { name: 'Anna Berg', source: 'discord', senderId: '3', allowed: false },
  ]);
});

test('the same account, other names and unnamed entries are no cause for alarm', () => {
  expect(
    lookalikesOf(
      sender,
      [held('2', 'Anna Bërg'), held('4', 'Bob')],
      [entry('2', 'Anna Berg'), entry('5', null)],
    ),
  ).toEqual([]);
});

test('a stranger who goes by the id of somebody allowed is pointed out', () => {
  const texting = { source: 'imessage', senderId: 'sms:+15551230001', name: '+15551230001' };
  const allowed = { ...entry('+15551230001', 'Anna'), source: 'imessage' };
  expect(lookalikesOf(texting, [], [allowed])).toEqual([
    { name: 'Anna', source: 'imessage', senderId: '+15551230001', allowed: true },
  ]);
});
