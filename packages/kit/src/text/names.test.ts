import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitizeName } from './names.ts';

describe('sanitizeName', () => {
  test.each([
    ['Ann Lee', 'Ann Lee'],
    ['  Ann \t\n Lee  ', 'Ann Lee'],
    ['Ann\u0000\u0007\u001b[31m Lee', 'Ann[31m Lee'],
    ['\u202eeeL nnA\u202c', 'eeL nnA'],
    ['\u2066Ann\u2069\u200e\u200f\u061c', 'Ann'],
    ['A\u200bn\u200cn\u2060\ufeff', 'Ann'],
    ['A\u00adn\u034fn\u180e\u3164\u115f', 'Ann'],
    ['Ann\u2028Lee\u2029', 'Ann Lee'],
    ['Ann\u0085Lee', 'Ann Lee'],
    ['Ann\u00a0\u2800\u3000Lee', 'Ann Lee'],
    ['Ann\ud800', 'Ann'],
    ['Ann\u{e0041}\u{e007f}', 'Ann'],
    ['Zoë Müller', 'Zoë Müller'],
    ['नमस्ते', 'नमस्ते'],
    ['محمد', 'محمد'],
    ['田中さん', '田中さん'],
    ['👩‍👩‍👧‍👦 family', '👩‍👩‍👧‍👦 family'],
    ['❤️ 1️⃣ 🏳️‍🌈 👍🏽', '❤️ 1️⃣ 🏳️‍🌈 👍🏽'],
    ['A\u200dB', 'AB'],
    ['A\ufe0fB', 'AB'],
  ])('%j is shown as %j', (name, shown) => {
    expect(sanitizeName(name, 'fallback')).toBe(shown);
  });

  test.each(['', ' ', '\u200b\u200b', '\u202e', '\u3164', '\u2800', '\u0301', '\ufe0f', '\u200d'])(
    'takes the fallback for %j, which shows nothing',
    (name) => {
      expect(sanitizeName(name, 'u\u202e123')).toBe('u123');
      expect(sanitizeName(name, name)).toBe('unknown');
    },
  );

  test('keeps to 80 code points and cuts no grapheme', () => {
    expect(sanitizeName('x'.repeat(500), 'f')).toBe('x'.repeat(80));
    expect(sanitizeName(`${'x'.repeat(78)}👩‍👩‍👧‍👦`, 'f')).toBe('x'.repeat(78));
    expect(sanitizeName(`${'x'.repeat(79)} yz`, 'f')).toBe('x'.repeat(79));
    expect([...sanitizeName(`a${'\u0301'.repeat(500)}`, 'f')]).toHaveLength(80);
  });

  const strange = fc.constantFrom(
    ...'aä 👍👩'.split(''),
    '\u200d',
    '\ufe0f',
    '\u202e',
    '\u2066',
    '\u200b',
    '\n',
    '\u0000',
    '\ud83d',
    '\udc4d',
    '👩',
    '🏽',
    '❤',
    '\u0301',
    '\u2800',
    '\u3164',
  );
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(strange, { maxLength: 120 }).map((parts) => parts.join('')),
  );

  test('is never empty, one line, well formed, bounded and free of what hides', () => {
    fc.assert(
      fc.property(anyName, anyName, (name, fallback) => {
        const shown = sanitizeName(name, fallback);
        expect(shown).toBe(shown.trim());
        expect(shown).toMatch(/[\p{L}\p{N}\p{P}\p{S}]/u);
        expect(shown.isWellFormed()).toBe(true);
        expect([...shown].length).toBeLessThanOrEqual(80);
        expect(shown).not.toMatch(
          /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u,
        );
        expect(shown).not.toMatch(/\s\s/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const once = sanitizeName(name, 'fallback');
        expect(sanitizeName(once, 'fallback')).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });
});
