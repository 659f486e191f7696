import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { binaryPlist } from '../../../testing/fakes/imessage/plist-writer.ts';
import { readBinaryPlist } from './binary-plist.ts';

const summary = {
  ec: {
    '0': [
      { d: 700_000_000.5, t: Buffer.from('old') },
      { d: 700_000_001, t: Buffer.alloc(300, 'x') },
    ],
  },
  rp: [1],
  ust: true,
  otr: { '0': { lo: 0, le: 7 } },
  name: 'Grüße 👍',
  long: 'x'.repeat(70_000),
};

test('dictionaries, arrays, numbers, texts and data come back as they were', () => {
  expect(readBinaryPlist(binaryPlist(summary))).toEqual(summary);
});

test('numbers of every width come back', () => {
  const numbers = [0, 255, 256, 65_535, 65_536, 4_294_967_295, 2 ** 40, -1];
  expect(readBinaryPlist(binaryPlist(numbers))).toEqual(numbers);
});

test('a list that holds itself is none', () => {
  const list = binaryPlist([[1]]);
  // The inner array's only reference is turned to the outer one.
  list[list.indexOf(0xa1, list.indexOf(0xa1) + 1) + 2] = 0;
  expect(readBinaryPlist(list)).toBeUndefined();
});

test('a list that names one long text a thousand times is none', () => {
  const short = binaryPlist(['x'.repeat(1_000), ...Array.from({ length: 1_000 }, () => true)]);
  expect(readBinaryPlist(short)).toHaveLength(1_001);
  const list = binaryPlist(['x'.repeat(1_000_000), ...Array.from({ length: 1_000 }, () => true)]);
  // The array stands first: a marker, its length in three bytes, then references of two bytes each.
  const [marker] = list.subarray(8);
  expect(marker).toBe(0xaf);
  for (let index = 0; index < 1_001; index += 1) list.writeUInt16BE(1, 8 + 4 + index * 2);
  expect(readBinaryPlist(list)).toBeUndefined();
});

test('other kinds of bytes are none', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('<plist version="1.0"/>'), Buffer.from('bplist00')])
    expect(readBinaryPlist(bytes)).toBeUndefined();
});

test('a list with bytes changed never throws', () => {
  const good = binaryPlist({ ec: { '0': [{ d: 1.5, t: Buffer.from('x') }] }, rp: [1, 2] });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      (changes) => {
        const changed = Buffer.from(good);
        for (const [at, value] of changes) changed[at] = value;
        readBinaryPlist(changed);
      },
    ),
    { numRuns: 2_000 },
  );
});
