import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureText } from './measure.ts';

test('texts are measured in UTF-16 units, code points and bytes', () => {
  expect(measureText('aä€👍', 'utf16')).toBe(5);
  expect(measureText('aä€👍', 'codepoints')).toBe(4);
  expect(measureText('aä€👍', 'utf8')).toBe(10);
  expect(measureText('\ud800', 'utf8')).toBe(3);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(measureText(text, 'utf16')).toBe(text.length);
      expect(measureText(text, 'codepoints')).toBe([...text].length);
      expect(measureText(text, 'utf8')).toBe(Buffer.byteLength(text));
    }),
  );
});
