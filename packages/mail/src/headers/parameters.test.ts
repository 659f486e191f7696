import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { parameterField } from './parameters.ts';
import { HeaderError } from './values.ts';

describe('parameterField', () => {
  test('writes plain and quoted values', () => {
    expect(parameterField('Content-Type', 'text/html', { charset: 'utf-8' })).toBe(
      'Content-Type: text/html; charset=utf-8\r\n',
    );
    expect(parameterField('Content-Type', 'multipart/alternative', { boundary: '=_a b"c' })).toBe(
      'Content-Type: multipart/alternative; boundary="=_a b\\"c"\r\n',
    );
  });

  test('encodes what is not ASCII and continues what is long', () => {
    expect(parameterField('Content-Disposition', 'attachment', { filename: 'Übersicht.pdf' })).toBe(
      "Content-Disposition: attachment; filename*=UTF-8''%C3%9Cbersicht.pdf\r\n",
    );
    const field = parameterField('Content-Disposition', 'attachment', { filename: 'ü'.repeat(40) });
    expect(field).toContain("filename*0*=UTF-8''%C3%BC");
    expect(field).toContain('filename*1*=%C3%BC');
    for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  });

  test('refuses injection and bad names', () => {
    expect(() => parameterField('Content-Type', 'text/html', { name: 'a\r\nb' })).toThrow(HeaderError);
    expect(() => parameterField('Content-Type', 'text/html\r\nX: y', {})).toThrow(HeaderError);
    expect(() => parameterField('Content-Type', 'text/html', { 'na me': 'a' })).toThrow(HeaderError);
    expect(() => parameterField('Content-Type', 'text/html', { 'name*': 'a' })).toThrow(HeaderError);
  });

  test('keeps file names readable for another parser', async () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 90 }),
    );
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        const field = parameterField('Content-Disposition', 'attachment', { filename: text });
        const parsed = await simpleParser(`Content-Type: text/csv\r\n${field}\r\nx\r\n`);
        expect(parsed.attachments[0]?.filename?.trim()).toBe(text.trim());
      }),
      { numRuns: 200 },
    );
  });
});
