import { measureText } from '@postern/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitMarkdown } from './text.ts';

const rendered = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const small = { limit: 100, unit: 'utf16' } as const;

describe('splitting Markdown', () => {
  test('leaves what fits as it is, and makes nothing of nothing', () => {
    expect(splitMarkdown('hello', small)).toEqual(['hello']);
    expect(splitMarkdown('', small)).toEqual([]);
    expect(splitMarkdown(' \n\n ', small)).toEqual([]);
  });

  test('measures what the platform makes of it', () => {
    const text = '<a> & <b> '.repeat(60);
    const pieces = splitMarkdown(text, small, rendered);
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(rendered(piece).length).toBeLessThanOrEqual(100);
  });

  test('closes and reopens code in pieces made smaller for their rendering', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `if (a${index} < b && c > d) {}`);
    const pieces = splitMarkdown(['```ts', ...lines, '```'].join('\n'), small, rendered);
    for (const piece of pieces) {
      expect(piece).toMatch(/^```ts\n[\s\S]*\n```$/);
      expect(rendered(piece).length).toBeLessThanOrEqual(100);
    }
    const code = pieces.flatMap((piece) => piece.split('\n').filter((line) => !line.startsWith('```')));
    expect(code).toEqual(lines);
  });

  test('mass mentions ring for nobody, not even where a cut brings them to the start of a piece', () => {
    const pieces = splitMarkdown(`@all ${'x'.repeat(16)}@all.example ${'y'.repeat(60)}`, {
      limit: 16,
      unit: 'utf16',
    });
    expect(pieces[0]).toBe('@\u200ball ');
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(16);
  });

  test('leaves out pieces that are blank', () => {
    const pieces = splitMarkdown(`a${'\n'.repeat(500)}b`, small);
    expect(pieces.every((piece) => piece.trim() !== '')).toBe(true);
    expect(pieces.join('').replaceAll('\n', '')).toBe('ab');
  });

  test('keeps the limit and loses nothing, for all texts and units', () => {
    const text = fc.array(
      fc.constantFrom('<', '&', '>', '👍🏽', 'word ', '\n', '```', '```js\n', '@everyone', 'ä'),
      { maxLength: 400 },
    );
    const unit = fc.constantFrom('utf16' as const, 'codepoints' as const, 'utf8' as const);
    fc.assert(
      fc.property(text, unit, fc.integer({ min: 80, max: 300 }), (parts, unit, limit) => {
        const whole = parts.join('');
        const pieces = splitMarkdown(whole, { limit, unit }, rendered);
        for (const piece of pieces) expect(measureText(rendered(piece), unit)).toBeLessThanOrEqual(limit);
        const seen = (value: string) => value.replaceAll(/[\s\u200b`]|js/g, '');
        expect(seen(pieces.join(''))).toBe(seen(whole));
      }),
    );
  });
});
