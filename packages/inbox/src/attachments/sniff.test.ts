import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SNIFF_BYTES, sniffMime } from './sniff.ts';

const sniff = (content: string | number[]) => sniffMime(Buffer.from(content as string));

test('the type is what the bytes say', async () => {
  expect(
    await sniff([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0]),
  ).toBe('image/png');
  expect(await sniff([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70])).toBe('image/jpeg');
  expect(await sniff('%PDF-1.7\n')).toBe('application/pdf');
  expect(await sniff('GIF89a')).toBe('image/gif');
  expect(await sniff([0x50, 0x4b, 0x03, 0x04, 0, 0, 0, 0, 0, 0])).toBe('application/zip');
});

test('text is text, whatever it is about', async () => {
  for (const text of ['hello', 'ü€😀', 'tab\tline\r\n\f', '#!/bin/sh', '{"a":1}', 'name,age'])
    expect(await sniff(text)).toBe('text/plain');
});

test('markup and script are never a type that a browser runs', async () => {
  for (const text of [
    '<!doctype html><script>alert(1)</script>',
    '<html>',
    '<script>1</script>',
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    '\ufeff<html>',
    'alert(1)',
  ])
    expect(await sniff(text)).not.toMatch(/html|svg|javascript|xhtml/);
});

test('what is neither is bytes', async () => {
  expect(await sniff('')).toBe('application/octet-stream');
  expect(await sniff('a\u0000b')).toBe('application/octet-stream');
  expect(await sniff('bell\u0007')).toBe('application/octet-stream');
  expect(await sniff([0xc3, 0x28])).toBe('application/octet-stream');
});

test('a character cut where the look ends is still text', async () => {
  const text = Buffer.from(`${'a'.repeat(SNIFF_BYTES - 1)}😀`);
  expect(await sniffMime(text.subarray(0, SNIFF_BYTES))).toBe('text/plain');
});

test('no bytes make it throw, and a type always looks like one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      expect(await sniffMime(bytes)).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
    }),
  );
});
