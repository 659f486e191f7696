import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { typedstream } from '../../../testing/fakes/imessage/typedstream-writer.ts';
import { decodeAttributedText } from './attributed-text.ts';

const PART = '__kIMMessagePartAttributeName';

/** A text of exactly so many bytes, with an emoji of four wherever it fits. */
function textOf(byteLength: number): string {
  return '👍'.repeat(byteLength >> 2) + 'x'.repeat(byteLength & 3);
}

test.each([0, 1, 3, 4, 31, 32, 126, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 1_000_000])(
  'a text of %i bytes comes back as it was',
  (length) => {
    const text = textOf(length);
    expect(Buffer.byteLength(text)).toBe(length);
    expect(decodeAttributedText(typedstream(text))).toMatchObject({ ok: true, text });
  },
);

test('the archive of an immutable text reads as the system writes it', () => {
  const archive = Buffer.from(
    `040b${Buffer.from('streamtyped').toString('hex')}81e8038401408484` +
      `8412${Buffer.from('NSAttributedString').toString('hex')}00848408${Buffer.from('NSObject').toString('hex')}` +
      `008592848484 08${Buffer.from('NSString').toString('hex')}019484012b06`.replaceAll(' ', '') +
      `${Buffer.from('Grüße').subarray(0, 6).toString('hex')}`,
    'hex',
  );
  expect(decodeAttributedText(archive)).toMatchObject({ ok: false, text: 'Grüß' });
});

test('parts, mentions, files and links are runs that count UTF-16 units', () => {
  const decoded = decodeAttributedText(
    typedstream([
      { text: '👍 ', attributes: { [PART]: 0 } },
      { text: 'Ana', attributes: { [PART]: 0, __kIMMentionConfirmedMention: '+15550100' } },
      { text: ' see ', attributes: { [PART]: 0 } },
      { text: '\ufffc', attributes: { [PART]: 1, __kIMFileTransferGUIDAttributeName: 'at_1_ABC' } },
      {
        text: 'example.com',
        attributes: { [PART]: 2, __kIMLinkAttributeName: new URL('https://example.com/a') },
      },
    ]),
  );
  expect(decoded).toEqual({
    ok: true,
    text: '👍 Ana see \ufffcexample.com',
    runs: [
      { start: 0, length: 3, attributes: { [PART]: 0 } },
      { start: 3, length: 3, attributes: { [PART]: 0, __kIMMentionConfirmedMention: '+15550100' } },
      { start: 6, length: 5, attributes: { [PART]: 0 } },
      { start: 11, length: 1, attributes: { [PART]: 1, __kIMFileTransferGUIDAttributeName: 'at_1_ABC' } },
      { start: 12, length: 11, attributes: { [PART]: 2, __kIMLinkAttributeName: 'https://example.com/a' } },
    ],
  });
});

test('numbers with a fraction between runs do not shift what follows', () => {
  const decoded = decodeAttributedText(
    typedstream([
      { text: 'before ', attributes: { [PART]: 0 } },
      { text: 'BIG', attributes: { NSFontSize: 17.5, [PART]: 0 } },
      { text: ' after', attributes: { [PART]: 0 } },
    ]),
  );
  expect(decoded).toMatchObject({
    text: 'before BIG after',
    runs: [{}, { attributes: { NSFontSize: 17.5 } }, { start: 10, length: 6, attributes: { [PART]: 0 } }],
  });
});

test('many different sets of attributes need references of several bytes', () => {
  const runs = Array.from({ length: 400 }, (_, index) => ({
    text: `part ${index} `,
    attributes: { [PART]: index, __kIMMentionConfirmedMention: `person ${index}` },
  }));
  const decoded = decodeAttributedText(typedstream(runs));
  expect(decoded).toMatchObject({ ok: true });
  expect(decoded.ok && decoded.runs.at(-1)?.attributes).toEqual(runs.at(-1)?.attributes);
});

test('what breaks off behind the text still gives the text', () => {
  const whole = typedstream('hello there');
  const end = whole.indexOf('hello there') + 'hello there'.length;
  for (let length = end; length < whole.length; length += 1) {
    expect(decodeAttributedText(whole.subarray(0, length)).text).toBe('hello there');
  }
});

test('what breaks off within the text gives a reason and no text', () => {
  const whole = typedstream('hello there');
  for (let length = 0; length < whole.indexOf('hello there') + 5; length += 1) {
    expect(decodeAttributedText(whole.subarray(0, length))).toMatchObject({
      ok: false,
      text: null,
      reason: expect.stringMatching(/\S/),
    });
  }
});

test('a length that says more than there is gives no text', () => {
  const archive = typedstream('hello there');
  archive[archive.indexOf('hello there') - 1] = 0x7f;
  expect(decodeAttributedText(archive)).toMatchObject({ ok: false, text: null });
});

test('other kinds of bytes are told apart', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('bplist00 and more'), Buffer.alloc(100_000, 0x84)])
    expect(decodeAttributedText(bytes)).toMatchObject({ ok: false, text: null });
});

test('an archive that is larger than any message is not read', () => {
  expect(decodeAttributedText(Buffer.alloc(8 * 1_048_576 + 1))).toEqual({
    ok: false,
    reason: 'it is too large',
    text: null,
  });
});

test('garbage behind a good header never throws', () => {
  const head = typedstream('x').subarray(0, 40);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(40), (garbage, length) => {
      decodeAttributedText(Buffer.concat([head.subarray(0, length), garbage]));
    }),
    { numRuns: 2_000 },
  );
});

test('a good archive with bytes changed never throws', () => {
  const good = typedstream([
    { text: 'hi ', attributes: { [PART]: 0 } },
    { text: 'there', attributes: { [PART]: 1, link: new URL('https://example.com') } },
  ]);
  const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const changed = Buffer.from(good);
      for (const [at, value] of changes) changed[at] = value;
      decodeAttributedText(changed);
    }),
    { numRuns: 2_000 },
  );
});

test('more objects than any message has are not made, and the text before them is kept', () => {
  const text = typedstream('hello');
  // Objects of the text's own class, with nothing in them.
  const one = Buffer.from([0x84, 0x93, 0x86]);
  const group = Buffer.concat([Buffer.from([0x92]), one]);
  const objects = Buffer.concat([text.subarray(0, -1), ...Array.from({ length: 300_000 }, () => group)]);
  expect(decodeAttributedText(objects)).toEqual({
    ok: false,
    reason: 'it holds too many objects',
    text: 'hello',
  });
});

test('arrays of nothing and objects without end ask for no more work than their bytes allow', () => {
  const header = typedstream('').subarray(0, 16);
  const encodings = ['[999999999{}]', '[999999999@]', '{{{{{{{{}}}}}}}}', '[999999999c]'];
  for (const encoding of encodings) {
    const group = Buffer.concat([Buffer.from([0x84, encoding.length]), Buffer.from(encoding)]);
    const again = Buffer.alloc(200_000, 0x92);
    expect(decodeAttributedText(Buffer.concat([header, group, again]))).toMatchObject({ ok: false });
  }
});
