import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanLines } from './fences.ts';
import { measureText, type TextUnit } from './measure.ts';
import { type Piece, splitIntoPieces, splitText } from './split.ts';

const units: readonly TextUnit[] = ['utf16', 'codepoints', 'utf8'];
const smallest = { utf16: 2, codepoints: 1, utf8: 4 };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const split = (text: string, limit: number) => splitText(text, { limit, unit: 'utf16' });

/** What holds for every text and limit. */
function expectSound(text: string, limit: number, unit: TextUnit): Piece[] {
  const pieces = splitIntoPieces(text, { limit, unit });
  const parts = splitText(text, { limit, unit });
  expect(parts).toEqual(pieces.map(({ before, content, after }) => before + content + after));
  expect(pieces.map(({ content }) => content).join('')).toBe(text);
  expect(pieces[0]?.before).toBe('');
  expect(pieces.at(-1)?.after).toBe('');
  let start = 0;
  pieces.forEach((piece, index) => {
    expect(measureText(parts[index]!, unit)).toBeLessThanOrEqual(limit);
    if (text !== '') expect(piece.content).not.toBe('');
    // Fence lines come in pairs: what is closed is opened again, and nothing else is put in.
    expect(piece.after === '').toBe((pieces[index + 1]?.before ?? '') === '');
    if (piece.before !== '') expect(piece.before).toMatch(/^[ \t]*(`{3,}[^`\n]*|~{3,}[^\n]*)\n$/);
    if (piece.after !== '') expect(piece.content + piece.after).toMatch(/\n[ \t]*(`{3,}|~{3,})$/);
    const end = start + piece.content.length;
    if (end < text.length) {
      expect(text.slice(end - 1, end + 1)).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
      const first = graphemes.segment(text.slice(start)).containing(0)?.segment.length ?? 0;
      const whole = graphemes.segment(text.slice(start)).containing(end - start)?.index === end - start;
      expect(whole || piece.content.length < first).toBe(true);
    }
    start = end;
  });
  return pieces;
}

/** Every character with its role, as a reader of the parts sees it; line ends aside, since cuts add some. */
function roles(parts: readonly string[]): { text: string; code: string } {
  const seen = { text: '', code: '' };
  for (const part of parts) {
    for (const line of scanLines(part)) {
      const content = part.slice(line.start, line.end).replace(/\n$/, '');
      if (line.kind === 'text' || line.kind === 'code') seen[line.kind] += content;
    }
  }
  return seen;
}

describe('splitText', () => {
  test('leaves a text that fits as it is', () => {
    expect(split('', 10)).toEqual(['']);
    expect(split('0123456789', 10)).toEqual(['0123456789']);
    expect(split('```js\nunclosed', 14)).toEqual(['```js\nunclosed']);
  });

  test('prefers paragraphs to lines, lines to words, words to anything', () => {
    expect(split('one one\n\ntwo\ntwo two', 16)).toEqual(['one one\n\n', 'two\ntwo two']);
    expect(split('one one one\ntwo two two', 16)).toEqual(['one one one\n', 'two two two']);
    expect(split('one two three four', 10)).toEqual(['one two ', 'three four']);
    expect(split('abcdefghijklmno', 6)).toEqual(['abcdef', 'ghijkl', 'mno']);
  });

  test('does not end a part early for a better break', () => {
    expect(split('a\n\nbbbb bbbb bbbb bbbb', 16)).toEqual(['a\n\nbbbb bbbb ', 'bbbb bbbb']);
  });

  test('breaks at a line or word that just fits', () => {
    expect(split('aaaa\nbbbb', 4)).toEqual(['aaaa', '\nbbb', 'b']);
    expect(split('aaaa bbbbb', 5)).toEqual(['aaaa ', 'bbbbb']);
    expect(split('aaaaa bbbb', 5)).toEqual(['aaaaa', ' bbbb']);
  });

  test('keeps a long word whole where it fits into a part', () => {
    const url = `https://example.com/${'x'.repeat(60)}`;
    expect(split(`see the page at ${url} for more`, 90)).toEqual(['see the page at ', `${url} for more`]);
  });

  test('does not break at spaces that must not break', () => {
    expect(split('aaa 10\u00a0km', 8)).toEqual(['aaa ', '10\u00a0km']);
  });

  test('closes code at the end of a part and opens it again', () => {
    const lines = ['line one', 'line two', 'line three', 'line four'];
    const text = ['Look:', '```js', ...lines, '```', 'Done.'].join('\n');
    expect(split(text, 40)).toEqual([
      'Look:\n```js\nline one\nline two\n```',
      '```js\nline three\nline four\n```\nDone.',
    ]);
    expect(split(text.replaceAll('```', '~~~~'), 44)).toEqual([
      'Look:\n~~~~js\nline one\nline two\n~~~~',
      '~~~~js\nline three\nline four\n~~~~\nDone.',
    ]);
  });

  test('keeps the info string with all that stands in it', () => {
    const text = `\`\`\`ts title="a b.ts" {1,3}\n${'const a = 1;\n'.repeat(40)}\`\`\``;
    const parts = split(text, 120);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(part).toMatch(/^```ts title="a b\.ts" \{1,3\}\n/);
    for (const part of parts) expect(part).toMatch(/\n```$/);
  });

  test('starts a code block in the next part rather than leave its opening line alone', () => {
    const text = `${'word '.repeat(12)}\n\`\`\`js\n${'code();\n'.repeat(6)}\`\`\`\nend`;
    expect(split(text, 76)[0]).toBe(`${'word '.repeat(12)}\n`);
    expect(split(text, 76)[1]).toMatch(/^```js\ncode\(\);\n/);
  });

  test('does not take a shorter or different fence for the end of a block', () => {
    const text = `\`\`\`\`md\n${'```js\ncode\n```\n~~~\n'.repeat(10)}\`\`\`\`\nend`;
    const parts = split(text, 60);
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/^````md\n.*\n````\n?$/s);
    expect(parts.at(-1)).toMatch(/(^|\n)end$/);
    expect(roles(parts)).toEqual(roles([text]));
  });

  test('opens a block with its bare marker when the info string is too long to repeat', () => {
    const info = 'x'.repeat(70);
    const text = `\`\`\`${info}\n${'code line\n'.repeat(30)}\`\`\``;
    const parts = split(text, 100);
    expect(parts[0]).toBe(`\`\`\`${info}\ncode line\ncode line\n\`\`\``);
    for (const part of parts.slice(1)) expect(part).toMatch(/^```\ncode line\n/);
    expectSound(text, 100, 'utf16');
  });

  test('closes a block within an info string that is longer than a part', () => {
    const text = `\`\`\`${'x'.repeat(250)}\ncode\n\`\`\`\nend`;
    expect(split(text, 100)).toEqual([
      `\`\`\`${'x'.repeat(93)}\n\`\`\``,
      `\`\`\`\n${'x'.repeat(92)}\n\`\`\``,
      `\`\`\`\n${'x'.repeat(65)}\ncode\n\`\`\`\nend`,
    ]);
    expectSound(text, 100, 'utf16');
  });

  test('leaves fences alone where they would fill most of a part', () => {
    expect(split('```\nabcdef\n```', 8)).toEqual(['```\n', 'abcdef\n', '```']);
    expectSound(`\`\`\`${'js'.repeat(20)}\nabc\n\`\`\``, 15, 'utf16');
  });

  test('splits a line of 60,000 characters, in code and out of it', () => {
    const line = 'x'.repeat(60_000);
    expect(split(line, 2_000).map((part) => part.length)).toEqual(Array.from({ length: 30 }, () => 2_000));
    const code = expectSound(`\`\`\`json\n${line}\n\`\`\``, 2_000, 'utf16');
    expect(code.slice(1).every(({ before }) => before === '```json\n')).toBe(true);
    expect(code).toHaveLength(31);
    expectSound(' '.repeat(60_000), 2_000, 'utf16');
    expectSound('`'.repeat(60_000), 2_000, 'utf16');
    expectSound(`${'~'.repeat(30_000)}\n`.repeat(2), 2_000, 'utf8');
    expectSound('\n'.repeat(60_000), 2_000, 'codepoints');
  });

  test('keeps emoji sequences, flags and combining marks whole', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(split(family.repeat(3), 15)).toEqual([family, family, family]);
    expect(splitText('🇩🇪🇫🇷🇮🇹', { limit: 3, unit: 'codepoints' })).toEqual(['🇩🇪', '🇫🇷', '🇮🇹']);
    expect(splitText('e\u0301e\u0301', { limit: 5, unit: 'utf8' })).toEqual(['e\u0301', 'e\u0301']);
    expect(split('👍🏽👍🏽', 6)).toEqual(['👍🏽', '👍🏽']);
    expect(split('a\r\nb', 2)).toEqual(['a', '\r\n', 'b']);
  });

  test('cuts a grapheme that is larger than a part between code points', () => {
    expect(split('👩‍👩‍👧‍👦', 4)).toEqual(['👩‍', '👩‍', '👧‍', '👦']);
    expect(split('👍👍', 2)).toEqual(['👍', '👍']);
    expectSound(`a${'\u0301'.repeat(5_000)}`, 100, 'utf8');
  });

  test('counts in the unit it is given', () => {
    expect(splitText('ääää', { limit: 4, unit: 'utf8' })).toEqual(['ää', 'ää']);
    expect(splitText('ääää', { limit: 4, unit: 'codepoints' })).toEqual(['ääää']);
    expect(splitText('👍👍', { limit: 2, unit: 'codepoints' })).toEqual(['👍👍']);
    expect(splitText('👍👍', { limit: 3, unit: 'utf16' })).toEqual(['👍', '👍']);
  });

  test.each([
    ['utf16', 1],
    ['codepoints', 0],
    ['utf8', 3],
    ['utf8', Number.NaN],
  ] as const)('refuses a limit that no part can keep: %s %d', (unit, limit) => {
    expect(() => splitText('text', { limit, unit })).toThrow(RangeError);
  });
});

describe('for all texts', () => {
  const token = fc.constantFrom(
    ...['`', '```', '````', '~~~', '~', '\n', '\n\n', ' ', '    ', '\t', '\r\n', 'a', 'word', 'js', 'ä', '€'],
    ...[
      '👍',
      '👩‍👩‍👧‍👦',
      '🇩🇪',
      '\u0301',
      '\u200d',
      '\ud83d',
      '\udc4d',
      '\u0600',
      'x'.repeat(30),
      '\n```js\n',
      '\n```\n',
    ],
  );
  const anyText = fc.oneof(
    fc.array(token, { maxLength: 80 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  );

  test('parts keep the limit, give the text back and cut nothing that can stay whole', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...units), fc.nat(120), (text, unit, more) => {
        expectSound(text, smallest[unit] + more, unit);
      }),
      { numRuns: 3_000 },
    );
  });

  /** Prose and code blocks as people and models write them, lines of any length. */
  const words = fc.array(
    fc.constantFrom('some', 'words', 'in', 'a', 'line', 'with`ticks`', 'and~tildes', '👍', 'x'.repeat(50)),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  const proseLine = fc.oneof(
    words.map((parts) => parts.join(' ')),
    fc.constant(''),
  );
  const block = fc
    .record({
      marker: fc.constantFrom('```', '````', '~~~', '~~~~~'),
      indent: fc.constantFrom('', '  ', '     '),
      info: fc.constantFrom('', 'js', 'ts title="a b"', 'x'.repeat(60)),
      body: fc.array(fc.oneof(proseLine, fc.constantFrom('    code();', '``', '~~', '  ```js x', '~~~ js')), {
        maxLength: 25,
      }),
    })
    .map(({ marker, indent, info, body }) => {
      const own = body.filter((line) => !line.trim().startsWith(marker));
      return [indent + marker + info, ...own, indent + marker];
    });
  const document = fc
    .array(fc.oneof(fc.array(proseLine, { maxLength: 6 }), block), { maxLength: 8 })
    .map((parts) => parts.flat().join('\n'));

  test('code stays code and prose stays prose in every part, and every part closes what it opens', () => {
    fc.assert(
      fc.property(
        document,
        fc.constantFrom(...units),
        fc.integer({ min: 90, max: 400 }),
        (text, unit, limit) => {
          const pieces = expectSound(text, limit, unit);
          const parts = splitText(text, { limit, unit });
          const openings = new Map(
            scanLines(text).flatMap(({ fence }) => (fence ? [[fence.opening, fence.marker]] : [])) as [
              string,
              string,
            ][],
          );
          for (const { before } of pieces) {
            if (before === '') continue;
            const known = openings.has(before.slice(0, -1)) || [...openings.values()].includes(before.trim());
            expect(known).toBe(true);
          }
          for (const part of parts.slice(0, -1)) {
            const last = scanLines(part).at(-1);
            expect(last?.kind === 'text' || last?.kind === 'close').toBe(true);
          }
          expect(roles(parts)).toEqual(roles([text]));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
