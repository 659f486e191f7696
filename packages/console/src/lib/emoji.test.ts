import { expect, test } from 'vitest';
import {
  baseName,
  emojiNamed,
  glyphOf,
  nameWithTone,
  pickerGroups,
  searchEmoji,
  spokenName,
  withTone,
} from './emoji.ts';

test('names become glyphs, and tones colour them', () => {
  expect(glyphOf('white_check_mark')).toBe('✅');
  expect(glyphOf('+1::skin-tone-4')).toBe('👍🏽');
  expect(glyphOf('thumbsup')).toBe('👍');
});

test('a tone takes the place of the variation selector', () => {
  expect(glyphOf('v::skin-tone-2')).toBe('✌🏻');
});

test('an emoji without a tone keeps its face whatever the name says', () => {
  expect(glyphOf('tada::skin-tone-6')).toBe('🎉');
});

test('an unknown name is shown as it came', () => {
  expect(glyphOf('party-parrot')).toBe(':party-parrot:');
});

test('what is picked goes out by name, with the tone where there is one', () => {
  const thumb = emojiNamed('+1')!;
  expect(nameWithTone(thumb, 3)).toBe('+1::skin-tone-3');
  expect(nameWithTone(thumb, 1)).toBe('+1');
  expect(glyphOf(nameWithTone(thumb, 3))).toBe(withTone(thumb, 3));
  expect(nameWithTone(emojiNamed('tada')!, 3)).toBe('tada');
  expect(baseName('+1::skin-tone-3')).toBe('+1');
});

test('every name is one the API takes, once', () => {
  const names = pickerGroups.flatMap(({ emoji }) => emoji.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_+'-]{1,64}$/);
});

test('the search finds by beginning first, then by other words', () => {
  expect(searchEmoji('thumb').map(({ name }) => name)).toEqual(['+1', '-1']);
  expect(searchEmoji('hea')[0]?.name).toBe('heart_hands');
  expect(searchEmoji(':eyes:')[0]?.name).toBe('eyes');
  expect(searchEmoji('nothing like it')).toEqual([]);
});

test('names can be read aloud', () => {
  expect(spokenName('+1::skin-tone-2')).toBe('thumbs up');
  expect(spokenName('white_check_mark')).toBe('white check mark');
});
