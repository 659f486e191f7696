import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCharset, decodeEncodedWords } from './decode.ts';

test.each([
  ['plain =? text ?=', 'plain =? text ?='],
  ['=?utf-8?q?caf=C3=A9?= au lait', 'café au lait'],
  ['=?UTF-8?B?w6k=?= =?UTF-8?B?w6k=?=', 'éé'],
  ['=?UTF-8?B?w6k=?= =?ISO-8859-1?Q?=E9?=', 'éé'],
  ['=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=', 'é'],
  ['=?utf-8*en?Q?a_b_?=', 'a b '],
  ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
  ['=?x-unknown?Q?=E9?=', 'é'],
  ['a=?utf-8?Q?b?=c', 'abc'],
])('decodes %s', (encoded, decoded) => {
  expect(decodeEncodedWords(encoded)).toBe(decoded);
});

test('takes any text', () => {
  const unit = fc.constantFrom('=?', '?=', '?', 'utf-8', 'B', 'q', '_', '=C3', ' ', 'é', '*');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => typeof decodeEncodedWords(text) === 'string'),
  );
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.string(),
      (bytes, name) => typeof decodeCharset(bytes, name) === 'string',
    ),
  );
});
