import { expect, test } from 'vitest';
import { apiBase } from './api.ts';
import { botIdOf, channelIdOf, snowflakeAt, snowflakeOf, timeOf } from './ids.ts';

test('channel ids say which kind they are, and lead back to the snowflake', () => {
  expect(channelIdOf('dm', '42')).toBe('discord:dm:42');
  expect(snowflakeOf('discord:dm:42')).toEqual({ type: 'dm', snowflake: '42' });
  expect(snowflakeOf(channelIdOf('group', '43'))).toEqual({ type: 'group', snowflake: '43' });
});

test.each(['local:team', 'discord:dm:', 'discord:channel:42/../1', 'discord:dm:4 2', '+4917012345'])(
  '%s is no channel of Discord',
  (id) => expect(snowflakeOf(id)).toBeNull(),
);

test('a token tells whose it is, when it is of the usual form', () => {
  expect(botIdOf(`${Buffer.from('175928847299117063').toString('base64url')}.x.y`)).toBe(
    '175928847299117063',
  );
  expect(botIdOf('test-token')).toBeNull();
});

test('ids have their time in them', () => {
  expect(timeOf(175928847299117063n)).toBe(Date.parse('2016-04-30T11:18:25.796Z'));
  expect(timeOf(snowflakeAt(1_777_593_600_000, '175928847299117063'))).toBe(1_777_593_600_000);
});

test('where ids are small, they have none', () => {
  expect(snowflakeAt(1_777_593_600_000, '1001')).toBe(0n);
});

test.each([
  ['https://example.com/api', { api: 'https://example.com/api' }],
  ['https://example.com/api/v9/', { api: 'https://example.com/api', version: '9' }],
  [undefined, {}],
])('the REST base %s may have a version', (url, base) => expect(apiBase(url)).toEqual(base));
