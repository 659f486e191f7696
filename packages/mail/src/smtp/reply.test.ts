import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCapabilities } from './capabilities.ts';
import { type Reply, ReplyReader, SmtpProtocolError } from './reply.ts';

const read = (...chunks: (string | Buffer)[]): Reply[] => {
  const reader = new ReplyReader();
  return chunks.flatMap((chunk) => reader.push(Buffer.from(chunk)));
};

describe('ReplyReader', () => {
  test.each([
    ['250 ok\r\n', { code: 250, enhanced: null, text: 'ok' }],
    ['250\r\n', { code: 250, enhanced: null, text: '' }],
    ['250-\r\n250 \r\n', { code: 250, enhanced: null, text: '' }],
    ['550 5.1.1 no such user\n', { code: 550, enhanced: '5.1.1', text: 'no such user' }],
    [
      '550-5.1.1 no such\r\n550-5.1.1\r\n550 5.1.1 user\r\n',
      { code: 550, enhanced: '5.1.1', text: 'no such user' },
    ],
    ['550 4.2.2 odd\r\n', { code: 550, enhanced: null, text: 'odd' }],
    ['250 2.0.0\r\n', { code: 250, enhanced: '2.0.0', text: '' }],
    ['250 2.0.0.1 not one\r\n', { code: 250, enhanced: null, text: '2.0.0.1 not one' }],
    ['550 bad\u0007\u001b[31m é\r\n', { code: 550, enhanced: null, text: 'bad [31m é' }],
  ])('reads %j', (bytes, expected) => {
    expect(read(bytes)).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    'hello\r\n',
    '25 ok\r\n',
    '1000 ok\r\n',
    '650 ok\r\n',
    '250ok\r\n',
    '250-a\r\n550 b\r\n',
    '\r\n',
  ])('refuses %j', (bytes) => {
    expect(() => read(bytes)).toThrow(SmtpProtocolError);
  });

  test('holds lines and replies to their bounds', () => {
    expect(() => read('250 '.padEnd(3_000, 'x'))).toThrow(SmtpProtocolError);
    expect(() => read(`250 ${'x'.repeat(3_000)}\r\n`)).toThrow(SmtpProtocolError);
    expect(() => read('250-x\r\n'.repeat(300))).toThrow(SmtpProtocolError);
    const endless = new ReplyReader();
    expect(() => {
      for (let n = 0; n < 10_000; n += 1) endless.push(Buffer.from('2'));
    }).toThrow(SmtpProtocolError);
  });

  test('gives the same replies however the bytes are cut', () => {
    const line = fc.record({
      code: fc.integer({ min: 200, max: 599 }),
      texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (replies, cuts) => {
          const bytes = Buffer.from(
            replies
              .map(({ code, texts }) =>
                texts
                  .map((text, index) => {
                    const more = index < texts.length - 1 ? '-' : ' ';
                    return `${code}${more}${text.replace(/[\r\n]/g, '')}\r\n`;
                  })
                  .join(''),
              )
              .join(''),
          );
          const chunks: Buffer[] = [];
          for (let at = 0; at < bytes.length; ) {
            const length = cuts.next().value as number;
            chunks.push(bytes.subarray(at, at + length));
            at += length;
          }
          expect(read(...chunks)).toEqual(read(bytes));
          expect(read(bytes).map(({ code }) => code)).toEqual(replies.map(({ code }) => code));
        },
      ),
    );
  });

  test('either reads any bytes or refuses them', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), (chunks) => {
        try {
          read(...chunks.map((chunk) => Buffer.from(chunk)));
        } catch (error) {
          expect(error).toBeInstanceOf(SmtpProtocolError);
        }
      }),
    );
  });
});

describe('parseCapabilities', () => {
  test('reads what servers write, in any case', () => {
    expect(
      parseCapabilities([
        'mx.example greets you',
        'pipelining',
        'Size 1000',
        'AUTH login PLAIN',
        'AUTH=LOGIN',
        'STARTTLS',
        '8bitmime',
      ]),
    ).toEqual({
      pipelining: true,
      startTls: true,
      smtpUtf8: false,
      eightBitMime: true,
      size: 1_000,
      auth: ['LOGIN', 'PLAIN'],
    });
  });

  test('takes SIZE without a number, or 0, for no limit, and the greeting for no offer', () => {
    expect(parseCapabilities(['PIPELINING', 'SIZE']).size).toBeNull();
    expect(parseCapabilities(['x', 'SIZE 0']).size).toBeNull();
    expect(parseCapabilities(['x', 'SIZE many']).size).toBeNull();
    expect(parseCapabilities(['PIPELINING']).pipelining).toBe(false);
    expect(parseCapabilities([])).toMatchObject({ pipelining: false });
  });

  test('takes any lines', () => {
    fc.assert(fc.property(fc.array(fc.string()), (lines) => parseCapabilities(lines) !== undefined));
  });
});
