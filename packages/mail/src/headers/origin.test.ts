import { expect, test } from 'vitest';
import { dateField, formatDate, messageIdField } from './origin.ts';
import { HeaderError } from './values.ts';

test('dates carry a numeric zone', () => {
  expect(dateField(Date.UTC(2026, 4, 1, 9, 5, 0, 999))).toBe('Date: Fri, 01 May 2026 09:05:00 +0000\r\n');
  expect(Date.parse(formatDate(1_777_593_600_000))).toBe(1_777_593_600_000);
  expect(() => formatDate(Number.NaN)).toThrow(HeaderError);
});

test('message ids are dot-atoms on both sides', () => {
  expect(messageIdField('eml_01@example.org')).toBe('Message-ID: <eml_01@example.org>\r\n');
  for (const bad of ['', 'a', '<a@b>', 'a b@c', 'a@b\r\n', 'a@b@c', 'é@b.c', `${'a'.repeat(1_000)}@b`]) {
    expect(() => messageIdField(bad)).toThrow(HeaderError);
  }
});
