import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

describe('LineReader', () => {
  test('gives the same lines however the bytes arrive', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 40 })), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const reader = new LineReader();
        const read: (string | null)[] = [];
        let start = 0;
        for (const size of [...sizes, bytes.length]) {
          read.push(...reader.push(bytes.subarray(start, start + size)));
          start += size;
        }
        expect([...read, ...reader.end()]).toEqual(lines.map((each) => each.toWellFormed()));
      }),
    );
  });

  test('leaves out a line over the bound, and reads on behind it', () => {
    const reader = new LineReader(4);
    expect(reader.push(Buffer.from('abcd\nabcde'))).toEqual(['abcd']);
    expect(reader.push(Buffer.from('fgh'))).toEqual([]);
    expect(reader.push(Buffer.from('ij\nkl\n'))).toEqual([null, 'kl']);
  });

  test('gives what is left at the end', () => {
    const reader = new LineReader();
    expect(reader.push(Buffer.from('a\r\n\nb'))).toEqual(['a', '']);
    expect([...reader.end(), ...reader.end()]).toEqual(['b']);
  });
});
