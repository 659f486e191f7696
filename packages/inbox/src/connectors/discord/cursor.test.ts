import { expect, test } from 'vitest';
import { formatCursor, parseCursor } from './cursor.ts';

test('a cursor reads as it was written, and so does one that tells only what was seen', () => {
  const cursor = { seen: 1_449_000_000_000_000_000n, floor: 1_400_000_000_000_000_000n };
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
  expect(parseCursor('1449000000000000000')).toEqual({ seen: cursor.seen, floor: cursor.seen });
});

test.each(['', ':', '1:', ':1', '1:2:3', '-1', '1.5', 'abc', '9'.repeat(21)])('%j is none', (text) => {
  expect(parseCursor(text)).toBeNull();
});
