import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareData, unstuff } from './data.ts';

test('stuffs dots at the beginnings of lines and nothing else', () => {
  const stuffed = (text: string) =>
    Buffer.from(prepareData(Buffer.from(text, 'latin1'))?.bytes ?? []).toString('latin1');
  expect(stuffed('.\r\n')).toBe('..\r\n');
  expect(stuffed('a.b\r\n.c\r\n..d')).toBe('a.b\r\n..c\r\n...d\r\n');
  expect(stuffed('')).toBe('');
});

test('passes a message without dots on as it is', () => {
  const message = Buffer.from('a\r\nb\r\n');
  expect(prepareData(message)).toEqual({ bytes: message, size: 6, ascii: true });
  expect(prepareData(message)?.bytes).toBe(message);
  expect(prepareData([message, Buffer.from('é\r\n')])).toMatchObject({ size: 10, ascii: false });
});

test('what is stuffed holds no end of data, and comes back as it was', () => {
  const unit = fc.constantFrom('.', '\r\n', 'a', '\u00ff', '..', '\r\n.\r\n');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const message = Buffer.from(text, 'latin1');
      const prepared = prepareData(message);
      const bytes = Buffer.from(prepared?.bytes ?? []);
      expect(`\r\n${bytes.toString('latin1')}`).not.toContain('\r\n.\r\n');
      expect(unstuff(bytes).toString('latin1')).toBe(
        text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`,
      );
    }),
    { numRuns: 1_000 },
  );
});

test('refuses exactly what has a CR or an LF alone', () => {
  const unit = fc.constantFrom('\r', '\n', 'a', '.', '\r\n');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
      const lone = /(?<!\r)\n|\r(?!\n)/.test(text);
      expect(prepareData(Buffer.from(text, 'latin1')) === undefined).toBe(lone);
    }),
    { numRuns: 1_000 },
  );
});
