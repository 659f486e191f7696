import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64, encodeBase64Lines } from './base64.ts';

test('encodes in lines of at most 76 and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const encoded = encodeBase64Lines(bytes);
      expect(encoded).toMatch(/^(?:[A-Za-z0-9+/=]{1,76}\r\n)*$/);
      expect(decodeBase64(Buffer.from(encoded))).toEqual(Buffer.from(bytes));
    }),
  );
});

test('decodes what is damaged in the usual ways', () => {
  const decode = (text: string) => decodeBase64(Buffer.from(text, 'latin1')).toString();
  expect(decode('aGVs\nbG8')).toBe('hello');
  expect(decode('aGVsbG8=aGVsbG8=')).toBe('hellohello');
  expect(decode('aGV*s bG8=!')).toBe('hello');
  expect(decode('')).toBe('');
});

test('takes any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => decodeBase64(bytes) !== undefined));
});
