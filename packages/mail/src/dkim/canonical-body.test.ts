import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relaxBody } from './canonical-body.ts';

const relax = (text: string) => Buffer.from(relaxBody(Buffer.from(text, 'latin1'))).toString('latin1');

/** The rule as RFC 6376 words it, step by step. */
function byTheBook(text: string): string {
  const lines = text.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}

test.each([
  ['', ''],
  ['\r\n\r\n', ''],
  [' \t\r\n', ''],
  [' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
  ['no break at the end', 'no break at the end\r\n'],
  ['a\r\n \r\nb', 'a\r\n\r\nb\r\n'],
])('relaxes %j', (body, expected) => {
  expect(relax(body)).toBe(expected);
});

test('follows the rule for any body, and changes nothing when done again', () => {
  const unit = fc.constantFrom('a', 'b', ' ', '\t', '\r\n', '\u00ff', '.', '=');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (body) => {
      expect(relax(body)).toBe(byTheBook(body));
      expect(relax(relax(body))).toBe(relax(body));
    }),
    { numRuns: 2_000 },
  );
});

test('takes any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => relaxBody(bytes).length <= bytes.length + 2),
  );
});
