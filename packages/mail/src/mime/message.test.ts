import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { awkwardText } from '../../test/arbitraries.ts';
import { type Address, parseAddress } from '../addresses.ts';
import { identifierField } from '../headers/fields.ts';
import { HeaderError } from '../headers/values.ts';
import { compileMessage, type MessageSource, messageBytes, type Rendering } from './message.ts';
import { hole, MissingValueError } from './template.ts';

const address = (text: string): Address => {
  const parsed = parseAddress(text);
  if (parsed.fault !== undefined) throw new Error(parsed.fault);
  return parsed;
};

const newsletter: MessageSource = {
  from: { name: 'Tea & Talk', address: address('tea@example.org') },
  replyTo: { address: address('answers@example.org') },
  subject: ['Tea for ', hole('name')],
  fields: [
    { name: 'List-Unsubscribe', value: ['<', hole('unsubscribe'), '>'], form: 'tokens' },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click', form: 'tokens' },
    identifierField('List-Id', 'Tea & Talk', 'tea.example.org'),
  ],
  text: ['Dear ', hole('name'), ',\n\ncome to tea.\n'],
  html: ['<p>Dear ', hole('name'), ',</p>\n<p>come to <b>tea</b>.</p>\n'],
  seed: 'cmp_1',
};
const forZoe: Rendering = {
  to: { name: 'Zoë', address: address('zoe@example.com') },
  date: Date.UTC(2026, 4, 1, 12, 0, 0),
  messageId: 'dlv_1@example.org',
  values: { name: 'Zoë', unsubscribe: 'https://example.org/u/abc?x=1' },
};
const bytesOf = (source: MessageSource, rendering: Rendering) =>
  messageBytes(compileMessage(source).render(rendering));

describe('compileMessage', () => {
  test('writes the message of a newsletter', () => {
    expect(bytesOf(newsletter, forZoe).toString('latin1')).toMatchSnapshot();
  });

  test('is read by another parser', async () => {
    const parsed = await simpleParser(bytesOf(newsletter, forZoe));
    expect(parsed).toMatchObject({
      subject: 'Tea for Zoë',
      messageId: '<dlv_1@example.org>',
      date: new Date(forZoe.date),
      text: 'Dear Zoë,\n\ncome to tea.\n',
      html: '<p>Dear Zoë,</p>\n<p>come to <b>tea</b>.</p>\n',
    });
    expect(parsed.from?.value).toEqual([{ name: 'Tea & Talk', address: 'tea@example.org' }]);
    expect(parsed.replyTo?.text).toBe('answers@example.org');
    expect(parsed.headerLines.map(({ key }) => key)).toEqual([
      'date',
      'from',
      'reply-to',
      'to',
      'subject',
      'message-id',
      'list-unsubscribe',
      'list-unsubscribe-post',
      'list-id',
      'mime-version',
      'content-type',
    ]);
  });

  test('lists the holes, each once', () => {
    expect(compileMessage(newsletter).holes).toEqual(['name', 'unsubscribe']);
  });

  test('writes one body alone without multipart', () => {
    const { text: _, ...htmlOnly } = newsletter;
    expect(bytesOf(htmlOnly, forZoe).toString('latin1')).toContain(
      'Content-Type: text/html; charset=utf-8\r\n',
    );
    const plain = bytesOf({ ...newsletter, html: null, text: 'Hi' }, forZoe).toString('latin1');
    expect(plain).toContain('Content-Transfer-Encoding: 7bit\r\n\r\nHi\r\n');
    expect(plain.endsWith('\r\n\r\nHi\r\n')).toBe(true);
    expect(bytesOf({ ...newsletter, html: null, text: '' }, forZoe).toString('latin1')).toMatch(
      /\r\n\r\n\r\n$/,
    );
  });

  test('keeps the boundary out of texts that hold it on purpose', () => {
    const boundary = /boundary="([^"]+)"/.exec(bytesOf(newsletter, forZoe).toString('latin1'))?.[1];
    expect(boundary).toMatch(/^=_/);
    const again = bytesOf({ ...newsletter, text: `--${boundary}--` }, forZoe).toString('latin1');
    expect(again).toContain(`--${boundary}--\r\n`);
    expect(again).not.toContain(`boundary="${boundary}"`);
  });

  test('asks for SMTPUTF8 only where a local part needs it', () => {
    const compiled = compileMessage(newsletter);
    expect(compiled.render(forZoe).utf8).toBe(false);
    const rendered = compiled.render({ ...forZoe, to: { address: address('zoë@bücher.example') } });
    expect(rendered.utf8).toBe(true);
    expect(messageBytes(rendered).toString()).toContain('To: zoë@xn--bcher-kva.example\r\n');
    const from = { address: address('té@example.org') };
    expect(compileMessage({ ...newsletter, from }).render(forZoe).utf8).toBe(true);
  });

  test('refuses values that would break the header, and fields given twice', () => {
    const compiled = compileMessage(newsletter);
    const withValues = (values: Record<string, string>) => () =>
      compiled.render({ ...forZoe, values: { ...forZoe.values, ...values } });
    expect(withValues({ name: 'Zoë\r\nBcc: x@example.org' })).toThrow(HeaderError);
    expect(withValues({ unsubscribe: 'https://example.org/ü' })).toThrow(HeaderError);
    expect(() => compiled.render({ ...forZoe, values: {} })).toThrow(MissingValueError);
    expect(() => compiled.render({ ...forZoe, messageId: 'a\r\n@b' })).toThrow(HeaderError);
    for (const fields of [
      ['From: x@example.org\r\n'],
      [{ name: 'subject', value: 'x', form: 'text' as const }],
      ['X-A: 1\r\n', 'x-a: 2\r\n'],
      ['X-A: 1\r\nX-B: 2\r\n'],
      ['X-A: 1\r\n\r\nbody\r\n'],
      ['X-A: 1'],
    ]) {
      expect(() => compileMessage({ ...newsletter, fields })).toThrow(HeaderError);
    }
    expect(() => compileMessage({ ...newsletter, text: null, html: null })).toThrow(TypeError);
  });

  test('brings any content to the reader, CRLF only, within the line limits', async () => {
    await fc.assert(
      fc.asyncProperty(awkwardText, awkwardText, awkwardText, async (lead, name, tail) => {
        const values = { name, unsubscribe: 'https://example.org/u' };
        const html = [lead, hole('name'), tail];
        const bytes = bytesOf(
          { ...newsletter, subject: 'x', text: ['t', hole('name')], html },
          { ...forZoe, values },
        );
        const wire = bytes.toString('latin1');
        expect(wire).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
        for (const line of wire.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
        const boundary = /boundary="([^"]+)"/.exec(wire)?.[1] ?? '';
        expect(wire.split(`--${boundary}`)).toHaveLength(4);
        const parsed = await simpleParser(bytes);
        const expected = [lead, name, tail]
          .map((part) => part.toWellFormed())
          .join('')
          .replace(/\r\n|\r|\n/g, '\n');
        expect(parsed.html === false ? '' : parsed.html?.replace(/\r\n/g, '\n')).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });
});
