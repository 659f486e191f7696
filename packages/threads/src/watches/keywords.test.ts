import { describe, expect, test } from 'vitest';
import { holdsOne, keywordsOf, MOST_KEYWORDS } from './keywords.ts';

const keywords = (...words: string[]) => {
  const reading = keywordsOf(words);
  return reading.ok ? reading.keywords : reading.reason;
};

describe('a message holds a keyword', () => {
  test.each([
    ['Down', 'the site is DOWN!'],
    ['outage', 'OUTAGES everywhere'],
    ['straße', 'IN DER STRASSE'],
    ['STRASSE', 'in der Straße'],
    ['ΟΔΟΣ', 'η οδόστρωση της οδος'],
    ['οδος', 'ΟΔΟΣΤΡΩΜΑ'],
    ['istanbul', 'İSTANBUL offline'],
    ['ısparta', 'ISPARTA'],
    ['ﬁle system', 'FILE   SYSTEM full'],
    ['ｄｏｗｎ', 'down'],
    ['café', 'CAFE\u0301'],
    ['outage', 'out\u200bage and out\u00adage'],
    ['on call', 'on\n\tcall'],
    ['障害', '昨夜の障害について'],
    ['🔥', 'prod 🔥🔥'],
  ])('%j in %j', (keyword, message) => {
    const reading = keywordsOf([keyword]);
    expect(reading.ok && holdsOne(message, reading.keywords)).toBe(true);
  });

  test.each([
    ['down', 'all is well'],
    ['on call', 'oncall'],
    ['a.c', 'abc'],
    ['\u200b', 'any message'],
  ])('%j and not in %j', (keyword, message) => {
    expect(holdsOne(message, [keyword])).toBe(false);
  });
});

describe('keywords are kept', () => {
  test('as they are read, each once, in their order', () => {
    expect(keywords('Straße', 'STRASSE', ' Down ', 'down', 'ΟΔΟΣ', 'on\n call\u200b')).toEqual([
      'straße',
      'down',
      'οδος',
      'on call',
    ]);
  });

  test.each([[['', ' \u200b', '\u2800']], [[]]])('not when nothing can be seen of them', (words) => {
    expect(keywords(...words)).toMatch(/needs a keyword/);
  });

  test('not when there are too many or one is too long', () => {
    const many = Array.from({ length: MOST_KEYWORDS + 1 }, (_, index) => `word ${index}`);
    expect(keywords(...many)).toMatch(/at most 20 keywords/);
    expect(keywords(...many.slice(1))).toHaveLength(MOST_KEYWORDS);
    expect(keywords('障'.repeat(101))).toMatch(/at most 100 characters/);
    expect(keywords('障'.repeat(100))).toHaveLength(1);
  });
});
