import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { headerText } from '../../test/arbitraries.ts';
import { type Address, parseAddress } from '../addresses.ts';
import { decodeEncodedWords } from './decode.ts';
import { identifierField, mailboxField, textField, tokensField } from './fields.ts';
import { HeaderError } from './values.ts';

const address = (text: string): Address => {
  const parsed = parseAddress(text);
  if (parsed.fault !== undefined) throw new Error(parsed.fault);
  return parsed;
};
const ada = address('ada@example.org');
const unfold = (field: string) => field.replace(/\r\n(?=[ \t])/g, '').replace(/\r\n$/, '');
const readValue = (field: string) => decodeEncodedWords(unfold(field).replace(/^[^:]+: /, ''));

function expectWellFormed(field: string): void {
  expect(field).toMatch(/^[!-9;-~]+:(?: [^\r\n]*)?(?:\r\n [^\r\n]+)*\r\n$/);
  for (const line of field.split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998);
    if (line !== '') expect(line.trim()).not.toBe('');
  }
  for (const word of field.match(/=\?UTF-8\?\S*/g) ?? []) {
    expect(word.length).toBeLessThanOrEqual(76);
  }
}

describe('textField', () => {
  test('leaves plain text plain and folds it at spaces', () => {
    expect(textField('Subject', 'Hello, world')).toBe('Subject: Hello, world\r\n');
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const folded = textField('Subject', words);
    for (const line of folded.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
    expect(unfold(folded)).toBe(`Subject: ${words}`);
  });

  test('encodes the words that need it and what is between them', () => {
    expect(textField('Subject', 'Big news: café and thé at noon')).toBe(
      'Subject: Big news: =?UTF-8?B?Y2Fmw6kgYW5kIHRow6k=?= at noon\r\n',
    );
    expect(textField('Subject', '日本語')).toBe('Subject: =?UTF-8?B?5pel5pys6Kqe?=\r\n');
  });

  test('encodes what looks encoded, and spaces that would be lost', () => {
    expect(textField('Subject', '=?UTF-8?Q?x?=')).toBe('Subject: =?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?=\r\n');
    expect(readValue(textField('Subject', ' a  b '))).toBe(' a  b ');
    expect(readValue(textField('Subject', ' '))).toBe(' ');
    expect(textField('Subject', '')).toBe('Subject: \r\n');
  });

  test('keeps every character whole and every text readable', () => {
    fc.assert(
      fc.property(headerText, (text) => {
        const field = textField('Subject', text);
        expectWellFormed(field);
        for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
        expect(readValue(field)).toBe(text);
        for (const [, word] of field.matchAll(/(=\?UTF-8\?[BQ]\?\S*\?=)/g)) {
          expect(decodeEncodedWords(word!)).not.toContain(
            '\ufffd'.repeat(text.includes('\ufffd') ? 10_000 : 1),
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('is read back by another parser', async () => {
    await fc.assert(
      fc.asyncProperty(headerText, async (text) => {
        const parsed = await simpleParser(`${textField('Subject', text)}\r\n`);
        expect((parsed.subject ?? '').trim()).toBe(text.trim());
      }),
      { numRuns: 200 },
    );
  });
});

describe('mailboxField', () => {
  test.each([
    [undefined, 'To: ada@example.org\r\n'],
    ['  ', 'To: ada@example.org\r\n'],
    ['Ada Lovelace', 'To: Ada Lovelace <ada@example.org>\r\n'],
    ['Lovelace, Ada', 'To: "Lovelace, Ada" <ada@example.org>\r\n'],
    ['A "q" \\', 'To: "A \\"q\\" \\\\" <ada@example.org>\r\n'],
    ['Zoë', 'To: =?UTF-8?Q?Zo=C3=AB?= <ada@example.org>\r\n'],
    ['evil@example.com', 'To: "evil@example.com" <ada@example.org>\r\n'],
  ])('writes the name %j', (name, expected) => {
    expect(mailboxField('To', [{ address: ada, name }])).toBe(expected);
  });

  test('writes several, and UTF-8 only in a local part', () => {
    const eva = address('éva@bücher.example');
    expect(mailboxField('To', [{ address: ada, name: 'Ada' }, { address: eva }])).toBe(
      'To: Ada <ada@example.org>, éva@xn--bcher-kva.example\r\n',
    );
  });

  test('keeps names readable for another parser', async () => {
    await fc.assert(
      fc.asyncProperty(headerText, async (text) => {
        const field = mailboxField('From', [{ address: ada, name: text }]);
        expectWellFormed(field);
        const parsed = await simpleParser(`${field}\r\n`);
        expect(parsed.from?.value).toHaveLength(1);
        expect(parsed.from?.value[0]?.address).toBe('ada@example.org');
      }),
      { numRuns: 200 },
    );
  });
});

describe('tokensField and identifierField', () => {
  test('leave their values as they are', () => {
    const url = `<https://example.org/u/${'x'.repeat(50)}>`;
    expect(tokensField('List-Unsubscribe', url)).toBe(`List-Unsubscribe:\r\n ${url}\r\n`);
    const long = `<https://example.org/u/${'x'.repeat(300)}>`;
    expect(tokensField('List-Unsubscribe', long)).toBe(`List-Unsubscribe: ${long}\r\n`);
    expect(tokensField('Feedback-ID', 'a:b:c:postern')).toBe('Feedback-ID: a:b:c:postern\r\n');
    expect(identifierField('List-Id', 'Tea & Talk', 'tea.lists.example.org')).toBe(
      'List-Id: Tea & Talk <tea.lists.example.org>\r\n',
    );
    expect(identifierField('List-Id', 'Thé', 'tea.example.org')).toBe(
      'List-Id: =?UTF-8?Q?Th=C3=A9?= <tea.example.org>\r\n',
    );
  });

  test('refuse what would be changed on the way', () => {
    expect(() => tokensField('List-Unsubscribe', '<https://bücher.example>')).toThrow(HeaderError);
    expect(() => tokensField('List-Unsubscribe', 'a  b')).toThrow(HeaderError);
    expect(() => tokensField('List-Unsubscribe', 'x'.repeat(998))).toThrow(HeaderError);
  });
});

describe('injection', () => {
  const bad = ['\r\nBcc: x@example.org', '\n', '\r', '\0', '\t', '\u007f', '\u001b[2J'];
  const writers: [string, (value: string) => string][] = [
    ['a text', (value) => textField('Subject', `Hi${value}`)],
    ['tokens', (value) => tokensField('List-Unsubscribe', `<https://example.org/${value}>`)],
    ['a display name', (value) => mailboxField('To', [{ address: ada, name: `Ada${value}Lovelace` }])],
    ['a phrase', (value) => identifierField('List-Id', `Tea${value}Talk`, 'tea.example.org')],
    ['an identifier', (value) => identifierField('List-Id', 'Tea', `tea${value}.example.org`)],
    ['a field name', (value) => textField(`X-Name${value}`, 'value')],
    [
      'an address made by hand',
      (value) => mailboxField('To', [{ address: { ...ada, wire: `a${value}@b.c` } }]),
    ],
  ];
  test.each(writers)('is refused in %s', (_place, write) => {
    for (const value of bad) expect(() => write(value)).toThrow(HeaderError);
  });

  test('says which field, never the value', () => {
    expect(() => textField('Subject', 'secret\r\n')).toThrow(
      /^Header field Subject holds a control character/,
    );
    try {
      textField('Bad\r\nName', 'x');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        fault: 'field_name',
        message: 'Header field (unnamed) is not a field name',
      });
    }
  });
});
