import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idGenerator, idPattern, idSchema, ulid } from './ids.ts';
import { checkInput } from './schema/violations.ts';
import { systemClock, systemRandom } from './system.ts';
import { fakeClock, seededRandom } from './testing/index.ts';

const still = { bytes: (length: number) => new Uint8Array(length) };
const full = { bytes: (length: number) => new Uint8Array(length).fill(255) };

describe('ulid', () => {
  test('writes time and chance as the specification does', () => {
    // 1469918176385 ms is the example of the ULID specification's own test.
    expect(ulid(fakeClock(1_469_918_176_385_000), still)).toBe('01ARYZ6S410000000000000000');
    expect(ulid(fakeClock(0), full)).toBe('0000000000ZZZZZZZZZZZZZZZZ');
    expect(ulid(fakeClock((2 ** 48 - 1) * 1_000), full)).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  });

  test('sorts by its time', () => {
    // The clock counts whole microseconds exactly up to here (the year 2255); beyond, neighbours round together.
    const latest = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);
    fc.assert(
      fc.property(fc.nat({ max: latest - 1 }), fc.nat({ max: 1_000_000 }), fc.nat(), (early, later, seed) => {
        const random = seededRandom(seed);
        const time = Math.min(early + 1 + later, latest);
        expect(ulid(fakeClock(early * 1_000), random) < ulid(fakeClock(time * 1_000), random)).toBe(true);
      }),
    );
  });

  test('refuses a time it cannot hold', () => {
    expect(() => ulid(fakeClock(-1), still)).toThrow(RangeError);
    expect(() => ulid(fakeClock(2 ** 48 * 1_000), still)).toThrow(RangeError);
  });
});

describe('idGenerator', () => {
  test('gives ids of the prefix that the pattern takes', () => {
    const newId = idGenerator({ clock: systemClock, random: systemRandom });
    expect(newId('msg')).toMatch(idPattern('msg'));
    expect(newId('att')).toMatch(/^att_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  test('strictly increases whatever the clock does, over all prefixes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 60 }),
        fc.nat(),
        (steps, seed) => {
          const clock = fakeClock();
          const newId = idGenerator({ clock, random: seededRandom(seed) });
          const ids = steps.map((step, index) => {
            clock.set(clock.nowMicroseconds() + step);
            return newId(index % 2 === 0 ? 'msg' : 'att').slice(4);
          });
          expect(ids).toEqual([...new Set(ids)].sort());
        },
      ),
    );
  });

  test('goes on into the next millisecond when the random part is used up', () => {
    const newId = idGenerator({ clock: fakeClock(5_000), random: full });
    expect(newId('msg')).toBe('msg_0000000005ZZZZZZZZZZZZZZZZ');
    expect(newId('msg')).toBe('msg_00000000060000000000000000');
  });
});

describe('idPattern and idSchema', () => {
  test.each([
    'msg_01HXYZABCDEFGHJKMNPQRSTVW',
    'msg_01HXYZABCDEFGHJKMNPQRSTVWXY',
    'msg_01HXYZABCDEFGHJKMNPQRSTVWI',
    'msg_01hxyzabcdefghjkmnpqrstvwx',
    'att_01HXYZABCDEFGHJKMNPQRSTVWX',
    'msg_01HXYZABCDEFGHJKMNPQRSTVWX\n',
    ' msg_01HXYZABCDEFGHJKMNPQRSTVWX',
    'msg01HXYZABCDEFGHJKMNPQRSTVWX',
    '',
  ])('refuse %j', (text) => {
    expect(idPattern('msg').test(text)).toBe(false);
    expect(checkInput(idSchema('msg'), text)).toMatchObject({
      ok: false,
      violations: [
        { field: '', code: 'invalid_format', message: expect.stringContaining('must be msg_ and') },
      ],
    });
  });

  test('take an id', () => {
    expect(idPattern('msg').test('msg_01HXYZABCDEFGHJKMNPQRSTVWX')).toBe(true);
    expect(checkInput(idSchema('msg'), 'msg_01HXYZABCDEFGHJKMNPQRSTVWX').ok).toBe(true);
  });

  test('know no prefix that would change the pattern', () => {
    expect(() => idPattern('m.g')).toThrow('lower-case');
    expect(() => idSchema('')).toThrow('lower-case');
  });
});
