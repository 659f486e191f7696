import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyedHasher } from './keyed-hash.ts';

test('is HMAC-SHA-256 of the UTF-8 of a text, whatever was hashed before', () => {
  const key = fc.uint8Array({ maxLength: 150 });
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 2_000 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(key, texts, (octets, given) => {
      const hasher = keyedHasher(octets);
      for (const text of given) {
        const expected = createHmac('sha256', octets).update(text).digest();
        expect(hasher.bytes(text)).toEqual(expected);
        expect(hasher.base64url(text)).toBe(expected.toString('base64url'));
      }
    }),
    { numRuns: 200 },
  );
});
