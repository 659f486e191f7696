import { expect, test } from 'vitest';
import { byteSize, counted, initials, looksLike, slugOf } from './names.ts';

test.each([
  ['Anna Berg', 'AB'],
  ['mei', 'M'],
  ['(print shop) Jonas', 'PJ'],
  ['Ångström', 'Å'],
  ['🦊 fox', '🦊F'],
  ['   ', '?'],
])('%s is shortened to %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test('names of one look are told to be alike', () => {
  expect(looksLike('Anna  Bërg')).toBe(looksLike('ANNA BERG'));
  expect(looksLike('An\u200bna')).toBe(looksLike('Anna'));
  expect(looksLike('Anna')).not.toBe(looksLike('Anne'));
});

test('an id is made from a name as the API takes it', () => {
  expect(slugOf('Tomás Rivera')).toBe('tomas-rivera');
  expect(slugOf('--Über uns!--')).toBe('uber-uns');
  expect(slugOf('Łódź, Bäckerei Süß & Ærø')).toBe('lodz-backerei-suss-aero');
  expect(slugOf('日本')).toBe('');
});

test('sizes and counts read well', () => {
  expect(byteSize(512)).toBe('512 B');
  expect(byteSize(1_500)).toBe('1.5 kB');
  expect(byteSize(184_320)).toBe('184 kB');
  expect(counted(1, 'reply', 'replies')).toBe('1 reply');
  expect(counted(0, 'message')).toBe('0 messages');
});
