import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storableText } from './storable.ts';

test('storable text loses NUL and lone surrogates and nothing else', () => {
  expect(storableText('a\0b\ud800c👍')).toBe('a\ufffdb\ufffdc👍');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const stored = storableText(text);
      expect(stored.length).toBe(text.length);
      expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored);
      expect(stored).not.toContain('\0');
    }),
  );
});
