import { expect, test } from 'vitest';
import { plainText } from '../lib/markdown.ts';
import { discordNaming } from './discord-names.ts';

const channel = {
  channel_id: 'discord:channel:118290022113344556',
  source: 'discord',
  channel_type: 'group' as const,
  name: 'paper-and-ink',
  allow_mass_mentions: false,
  message_count: 1,
  last_message_at: null,
};
const senders = new Map([['184467440737095516', 'Anna Berg']]);

function shown(text: string, raw: Record<string, unknown> = {}, source = 'discord'): string {
  return plainText(text, discordNaming({ source, raw }, senders, [channel]));
}

test('people, channels, roles, emoji and times are shown by name', () => {
  const mentions = [
    { id: '992211008844667733', username: 'olga_k', global_name: 'Olga', member: { nick: 'Olga (print)' } },
    { id: '771100223344556677', username: 'shop', global_name: null },
  ];
  expect(shown('<@992211008844667733> and <@!771100223344556677>', { mentions })).toBe(
    '@Olga (print) and @shop',
  );
  expect(shown('ask <@184467440737095516> in <#118290022113344556>')).toBe(
    'ask @Anna Berg in #paper-and-ink',
  );
  expect(shown('<@&771100223344556677> <a:party:771100223344556677>')).toBe('@role :party:');
  expect(shown('at <t:1780000000:R>')).toMatch(/^at .*2026/);
});

test('what has no name keeps its id, and so does what the payload says nothing sound of', () => {
  expect(shown('<@660011992288337744> <#660011992288337744>')).toBe(
    '@660011992288337744 #660011992288337744',
  );
  for (const mentions of [null, 'x', [null], [{ id: '660011992288337744', username: 7, member: 'x' }]]) {
    expect(shown('<@660011992288337744>', { mentions })).toBe('@660011992288337744');
  }
});

test('other platforms, code and escapes keep their text', () => {
  expect(shown('<@184467440737095516>', {}, 'local')).toBe('<@184467440737095516>');
  expect(shown('`<@184467440737095516>` \\<@184467440737095516>')).toBe(
    '<@184467440737095516> <@184467440737095516>',
  );
});
