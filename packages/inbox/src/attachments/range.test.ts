import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRange } from './range.ts';

describe('a Range header on ten bytes (RFC 9110, section 14)', () => {
  const table: [string | undefined, ReturnType<typeof parseRange>][] = [
    [undefined, 'whole'],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=2-4', { start: 2, end: 4 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=0-', { start: 0, end: 9 }],
    // The last position may lie beyond the end.
    ['bytes=5-100', { start: 5, end: 9 }],
    [`bytes=5-${'9'.repeat(40)}`, { start: 5, end: 9 }],
    // The last so many; more than there are is all.
    ['bytes=-1', { start: 9, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    ['bytes=-11', { start: 0, end: 9 }],
    [`bytes=-${'9'.repeat(40)}`, { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    // Beginning at or beyond the end.
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    [`bytes=${'9'.repeat(40)}-`, 'unsatisfiable'],
    // Unit names are case-insensitive.
    ['Bytes=1-2', { start: 1, end: 2 }],
    [' bytes=1-2 ', { start: 1, end: 2 }],
    // Invalid or not supported: ignored.
    ['bytes=4-2', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1', 'whole'],
    ['bytes=1-2-3', 'whole'],
    ['bytes=--1', 'whole'],
    ['bytes=+1-2', 'whole'],
    ['bytes=1.0-2', 'whole'],
    ['bytes=0x1-0x2', 'whole'],
    ['bytes=1-2,4-5', 'whole'],
    ['bytes 1-2', 'whole'],
    ['items=1-2', 'whole'],
    ['', 'whole'],
  ];
  test.each(table)('%j is %j', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  test('nothing can be cut out of nothing', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=0-0', 0)).toBe('unsatisfiable');
    // A suffix is satisfiable, and no Content-Range could say which of no bytes it is.
    expect(parseRange('bytes=-5', 0)).toBe('whole');
    expect(parseRange('bytes=-0', 0)).toBe('unsatisfiable');
  });
});

test('whatever is asked, a range lies within the bytes and is the part that was asked for', () => {
  const position = fc.option(fc.nat(40), { nil: undefined });
  fc.assert(
    fc.property(fc.nat(20), position, position, (size, first, last) => {
      const bytes = Array.from({ length: size }, (_, index) => index);
      const range = parseRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
      if (typeof range === 'string') {
        if (range === 'whole') {
          const isInvalid = first === undefined ? last === undefined : last !== undefined && last < first;
          expect(isInvalid || size === 0).toBe(true);
        } else expect(first === undefined ? last === 0 : first >= size).toBe(true);
        return;
      }
      const cut = bytes.slice(range.start, range.end + 1);
      expect(cut.length).toBe(range.end - range.start + 1);
      const asked =
        first === undefined
          ? bytes.slice(-(last ?? 0))
          : bytes.slice(first, last === undefined ? size : last + 1);
      expect(cut).toEqual(asked);
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^bytes=.*$/)), fc.nat(100), (header, size) => {
      const range = parseRange(header, size);
      if (typeof range !== 'string') {
        expect(range.start).toBeLessThanOrEqual(range.end);
        expect(range.end).toBeLessThan(size);
      }
    }),
  );
});
