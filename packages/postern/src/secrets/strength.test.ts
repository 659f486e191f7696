import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isKnownExample, weaknessOf } from './strength.ts';

test('what chance makes is never taken for weak', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 48 }), (bytes) => {
      fc.pre(new Set(bytes).size > 12);
      expect(weaknessOf(Buffer.from(bytes).toString('base64url'))).toBeNull();
      expect(isKnownExample(Buffer.from(bytes).toString())).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  'change-me-'.repeat(4),
  'YOUR_SECRET_TOKEN_HERE_123456',
  'qwertyuiopasdfghjklzxcvbnm1'.slice(0, 26),
])('what stands in guides is: %s', (secret) =>
  expect(weaknessOf(secret)).toBe('a secret known from examples'),
);

test('a long text that almost looks like examples is judged quickly', () => {
  expect(weaknessOf(`${'secret'.repeat(20_000)}qx`)).toBeNull();
});

test('a secret that could not be sent as a bearer is refused', () => {
  expect(weaknessOf('correct horse battery staple 9')).toContain('no bearer token can have');
});
