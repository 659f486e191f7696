import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awkwardText } from '../../test/arbitraries.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  decodeQuotedPrintable,
  encodeQuotedPrintable,
  finishQuotedPrintable,
  QP_START,
  quotedPrintable,
} from './qp.ts';

const encode = (text: string) => quotedPrintable(text).toString('latin1');
const inPieces = (pieces: readonly string[]): string => {
  const out = new ByteWriter(8);
  let state = QP_START;
  for (const piece of pieces) state = encodeQuotedPrintable(piece, state, out);
  finishQuotedPrintable(state, out);
  return out.copy().toString('latin1');
};
const withCrlf = (text: string) => text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n');

describe('quotedPrintable', () => {
  test('leaves plain text as it is, with CRLF line breaks', () => {
    expect(encode('Hello, world!\nBye.\r\n')).toBe('Hello, world!\r\nBye.\r\n');
  });

  test('encodes what is not ASCII, the equals sign and controls', () => {
    expect(encode('é=\0😀')).toBe('=C3=A9=3D=00=F0=9F=98=80');
  });

  test('encodes white space at the end of a line and of the text', () => {
    expect(encode('a \nb\t\n c ')).toBe('a=20\r\nb=09\r\n c=20');
  });

  test('begins no line with a dot or an F', () => {
    expect(encode('.\n..\nFrom me\nxF.')).toBe('=2E\r\n=2E.\r\n=46rom me\r\nxF.');
  });

  test('breaks long lines softly, never inside a character', () => {
    expect(encode('a'.repeat(80))).toBe(`${'a'.repeat(75)}=\r\n${'a'.repeat(5)}`);
    expect(encode(`${'a'.repeat(70)}😀`)).toBe(`${'a'.repeat(70)}=\r\n=F0=9F=98=80`);
  });

  test('is decoded to the same text, within the line length', () => {
    fc.assert(
      fc.property(awkwardText, (text) => {
        const encoded = encode(text);
        expect(decodeQuotedPrintable(Buffer.from(encoded, 'latin1')).toString()).toBe(withCrlf(text));
        for (const line of encoded.split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(76);
          expect(line).toMatch(/^(?:(?![.F])[\t -~]*[!-~])?$/);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('grows with a large text', () => {
    const text = '€ und so weiter '.repeat(20_000);
    expect(decodeQuotedPrintable(quotedPrintable(text)).toString()).toBe(text);
  });

  test('does not depend on where a text is cut', () => {
    fc.assert(
      fc.property(fc.array(awkwardText, { maxLength: 6 }), (texts) => {
        const pieces = texts.map((text) => text.toWellFormed());
        expect(inPieces(pieces)).toBe(encode(pieces.join('')));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('decodeQuotedPrintable', () => {
  test.each([
    ['a=3Db=3db', 'a=b=b'],
    ['soft=\r\nbreak=\nhere= \t\r\n.', 'softbreakhere.'],
    ['dropped  \r\nkept =\r\n  x', 'dropped\r\nkept   x'],
    ['bad =ZZ = 1', 'bad =ZZ = 1'],
    ['cut short=', 'cut short'],
    ['cut short=4', 'cut short=4'],
    ['end \t', 'end'],
  ])('reads %j', (encoded, decoded) => {
    expect(decodeQuotedPrintable(Buffer.from(encoded, 'latin1')).toString('latin1')).toBe(decoded);
  });

  test('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeQuotedPrintable(bytes).length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});
