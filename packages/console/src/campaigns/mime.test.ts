import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeWords, mailOf, pictureAddresses } from './mime.ts';

const mail = (lines: readonly string[]) => mailOf(new TextEncoder().encode(lines.join('\r\n')));

test('nested parts, encodings and attachments are told apart', () => {
  const read = mail([
    'Subject: =?utf-8?Q?Ol=C3?=',
    ' =?utf-8?Q?=A1?= all',
    'Content-Type: multipart/mixed;',
    ' boundary="out er"',
    '',
    'preamble',
    '--out er',
    'Content-Type: multipart/related; boundary=in',
    '',
    '--in',
    'Content-Type: text/html; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<p>caf=E9 =',
    'now</p>',
    '--in',
    'Content-Type: image/png',
    'Content-ID: <pic@x>',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0=',
    '--in--',
    '--out er',
    "Content-Disposition: attachment; filename*=utf-8''pre%C3%A7o.txt",
    'Content-Type: text/plain',
    '',
    'not the text',
    '--out er--',
    'epilogue',
  ]);
  expect(read.subject).toBe('Olá all');
  expect(read.html).toBe('<p>café now</p>');
  expect(read.text).toBeNull();
  expect(read.root.parts.map(({ type }) => type)).toEqual(['multipart/related', 'text/plain']);
  expect(read.root.parts[1]).toMatchObject({ name: 'preço.txt', isAttachment: true });
  expect([...pictureAddresses(read)]).toEqual([['pic@x', 'data:image/png;base64,iVBORw0=']]);
});

test('encoded words are decoded, and what is none is left', () => {
  expect(decodeWords('=?UTF-8?B?w6k=?= =?utf-8?q?_b?= c')).toBe('é b c');
  expect(decodeWords('=?nonsense')).toBe('=?nonsense');
});

test('nothing that can be captured breaks the page', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(mailOf(bytes).root).toBeDefined();
    }),
  );
});
