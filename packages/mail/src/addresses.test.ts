import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Address, needsSmtpUtf8, parseAddress, parseDomain } from './addresses.ts';

const good = (text: string): Address => {
  const parsed = parseAddress(text);
  if (parsed.fault !== undefined) throw new Error(`${text}: ${parsed.fault}`);
  return parsed;
};
const fault = (text: string) => parseAddress(text).fault;

describe('parseAddress', () => {
  test('keeps what was typed beside the canonical key', () => {
    expect(good('  Ada.Lovelace+News@Example.ORG ')).toEqual({
      local: 'Ada.Lovelace+News',
      domain: 'example.org',
      wire: 'Ada.Lovelace+News@example.org',
      typed: 'Ada.Lovelace+News@Example.ORG',
      key: 'ada.lovelace+news@example.org',
    });
  });

  test('gives U-labels and A-labels of one domain one key', () => {
    expect(good('x@BÜCHER.example').key).toBe('x@xn--bcher-kva.example');
    expect(good('x@XN--bcher-KVA.example').key).toBe('x@xn--bcher-kva.example');
    expect(good('x@bu\u0308cher.example').key).toBe('x@xn--bcher-kva.example');
    expect(good('用户@例子.广告').wire).toBe('用户@xn--fsqu00a.xn--4rr70v');
  });

  test('composes and lower-cases a local part beyond ASCII', () => {
    expect(good('E\u0301va@example.org').key).toBe(good('éva@example.org').key);
    expect(good('\u212Aelvin@example.org').key).toBe('kelvin@example.org');
  });

  test.each([
    ['"john doe"@example.org', '"john doe"', '"john doe"@example.org'],
    ['"John"@example.org', 'John', 'john@example.org'],
    ['"jo\\hn"@example.org', 'john', 'john@example.org'],
    ['"a@b"@example.org', '"a@b"', '"a@b"@example.org'],
    ['"a\\"b\\\\"@example.org', '"a\\"b\\\\"', '"a\\"b\\\\"@example.org'],
    ['""@example.org', '""', '""@example.org'],
    ['"a..b"@example.org', '"a..b"', '"a..b"@example.org'],
  ])('reads the quoted local part of %s', (text, local, key) => {
    expect(good(text)).toMatchObject({ local, key });
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['example.org', 'missing_at'],
    ['@example.org', 'missing_at'],
    ['a@', 'missing_at'],
    ['.a@example.org', 'local_syntax'],
    ['a.@example.org', 'local_syntax'],
    ['a..b@example.org', 'local_syntax'],
    ['a b@example.org', 'local_syntax'],
    ['a@b@example.org', 'local_syntax'],
    ['"a"b"@example.org', 'local_syntax'],
    ['"a\\"@example.org', 'local_syntax'],
    ['"@example.org', 'local_syntax'],
    ['Ada <ada@example.org>', 'local_syntax'],
    ['ada@example.org>', 'domain_syntax'],
    ['ada@example.org (Ada)', 'domain_syntax'],
    ['a@localhost', 'domain_single_label'],
    ['a@[192.0.2.1]', 'domain_literal'],
    ['a@[IPv6:2001:db8::1]', 'domain_literal'],
    ['a@192.0.2.1', 'domain_literal'],
    ['a@1.2', 'domain_literal'],
    ['a@example.org.', 'domain_syntax'],
    ['a@.example.org', 'domain_syntax'],
    ['a@example..org', 'domain_syntax'],
    ['a@-example.org', 'domain_syntax'],
    ['a@example-.org', 'domain_syntax'],
    ['a@exa_mple.org', 'domain_syntax'],
    ['a@exa%6dple.org', 'domain_syntax'],
    ['a@xn--a.org', 'domain_syntax'],
    ['a@bücher%.org', 'domain_syntax'],
    [`a@bücher.org:25`, 'domain_syntax'],
    [`a@${'b'.repeat(64)}.org`, 'domain_syntax'],
    ['a\r\nb@example.org', 'forbidden_character'],
    ['a\u0000@example.org', 'forbidden_character'],
    ['a\u007f@example.org', 'forbidden_character'],
    ['a\u0085@example.org', 'forbidden_character'],
    ['a\u202eb@example.org', 'forbidden_character'],
    ['a\u200bb@example.org', 'forbidden_character'],
    ['a\ud800@example.org', 'forbidden_character'],
    ['"a\u00a0b"@example.org', 'forbidden_character'],
    [`${'a'.repeat(65)}@example.org`, 'local_too_long'],
    [`${'é'.repeat(33)}@example.org`, 'local_too_long'],
    [`${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`, 'too_long'],
  ])('refuses %j', (text, expected) => {
    expect(fault(text)).toBe(expected);
  });

  test('refuses a huge text without looking at it', () => {
    expect(fault('a'.repeat(1_000_000))).toBe('too_long');
  });

  test('accepts lengths up to the limits', () => {
    expect(fault(`${'a'.repeat(64)}@example.org`)).toBeUndefined();
    expect(fault(`${'é'.repeat(32)}@example.org`)).toBeUndefined();
    const domain = `${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.org`;
    expect(good(`${'a'.repeat(64)}@${domain}`).wire).toHaveLength(254);
  });
});

describe('parseAddress by properties', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('a', 'B', '.', '@', '"', '\\', ' ', '-', 'ü', '。', '[', ']', '1'),
      maxLength: 30,
    }),
    fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.domain())
      .map(([l, d]) => `${l}@${d}`),
    fc.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.domain()).map(([l, d]) => `"${l}"@${d}`),
  );

  test('never throws, and what it accepts is stable, bounded and clean', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const parsed = parseAddress(text);
        if (parsed.fault !== undefined) return;
        for (const form of [parsed.wire, parsed.key]) {
          expect(parseAddress(form)).toMatchObject({ key: parsed.key, domain: parsed.domain });
          expect(form).not.toMatch(/[\r\n\0]/);
        }
        expect(parseAddress(parsed.wire)).toMatchObject({ wire: parsed.wire, local: parsed.local });
        expect(parseAddress(parsed.typed)).toEqual(parsed);
        expect(Buffer.byteLength(parsed.wire)).toBeLessThanOrEqual(254);
        expect(Buffer.byteLength(parsed.local)).toBeLessThanOrEqual(64);
        expect(parsed.domain).toMatch(/^[a-z0-9.-]+\.[a-z0-9-]+$/);
        expect(parsed.key).toBe(parsed.key.normalize('NFC'));
      }),
      { numRuns: 2_000 },
    );
  });

  test('accepts every address of the common kind, whatever its case', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        if (Buffer.byteLength(text) > 254 || text.indexOf('@') > 64) return;
        expect(good(text).key).toBe(good(text.toUpperCase()).key);
      }),
    );
  });

  // Only what is not quoted can be seen to be ordinary at a glance.
  test('reads an address of the common kind as it reads the same one quoted', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const at = text.indexOf('@');
        const quoted = `"${text.slice(0, at)}"${text.slice(at)}`;
        const { typed: _, ...plain } = parseAddress(text);
        const { typed: __, ...same } = parseAddress(quoted);
        expect(plain).toEqual(same);
      }),
    );
  });
});

test('needsSmtpUtf8 asks for what is not ASCII', () => {
  expect(needsSmtpUtf8('ada')).toBe(false);
  expect(needsSmtpUtf8('"a b"')).toBe(false);
  expect(needsSmtpUtf8('éva')).toBe(true);
});

test('parseDomain takes a domain alone', () => {
  expect(parseDomain('Bücher.Example')).toBe('xn--bcher-kva.example');
  expect(parseDomain('nodot')).toEqual({ fault: 'domain_single_label' });
});
