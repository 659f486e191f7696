import { describe, expect, test } from 'vitest';
import { factOf, fingerprintOf } from './fact.ts';

describe.each([
  ['Latin', 'a'],
  ['Cyrillic', 'ж'],
  ['Chinese', '漢'],
  ['Devanagari', '\u0958'],
  ['Arabic', 'ع'],
  ['an emoji outside of the first plane', '🚀'],
  ['mathematical letters', '𝒜'],
])('%s', (_script, character) => {
  test.each([499, 500])('of %i characters is kept whole', (length) => {
    const text = character.repeat(length);
    expect(factOf(text)).toEqual({ kind: 'fact', text });
  });

  test('of 501 characters is refused, not cut', () => {
    expect(factOf(character.repeat(501))).toEqual({ kind: 'too_long', length: 501 });
  });
});

test('characters are counted after spaces and what is not seen are gone', () => {
  const text = `\n ${'a '.repeat(249)}bc\u200b\u202e\t`;
  expect(factOf(`${text}\n\n\n`)).toMatchObject({ kind: 'fact', text: `${'a '.repeat(249)}bc` });
});

test('a fact is one line, and nothing in it can hide or turn around what stands beside it', () => {
  for (const broken of ['\n', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\t', '\u2800']) {
    expect(factOf(`one${broken}- user: two`)).toEqual({ kind: 'fact', text: 'one - user: two' });
  }
  expect(factOf('a\u202eb\u2066c\u0000d\u200be\ud800')).toEqual({ kind: 'fact', text: 'abc\ufffdde\ufffd' });
});

test('emoji that are made of several stay whole', () => {
  expect(factOf('the 👩‍💻 and the 🏳️‍🌈')).toEqual({ kind: 'fact', text: 'the 👩‍💻 and the 🏳️‍🌈' });
});

test.each(['', '  \n\t ', '\u200b\u2060', '\u2800'])(
  'a text in which nothing is seen is no fact (%j)',
  (text) => {
    expect(factOf(text)).toEqual({ kind: 'empty' });
  },
);

test('the same words in another case, spacing or form are the same fact', () => {
  const first = fingerprintOf('We deploy  on TUESDAYS in Straße 5');
  for (const text of [
    'we deploy on tuesdays in straße 5',
    ' We\ndeploy on Tuesdays in STRASSE 5 ',
    'Ｗｅ deploy on Tuesdays in Straße 5',
  ]) {
    expect(fingerprintOf(text)).toBe(first);
  }
  expect(fingerprintOf('we deploy on thursdays in straße 5')).not.toBe(first);
});
