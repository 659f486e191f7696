import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awkwardText } from '../../test/arbitraries.ts';
import { compileBodyPart } from './body-part.ts';
import { ByteWriter } from './byte-writer.ts';
import { quotedPrintable } from './qp.ts';
import { hole, MissingValueError, type Template } from './template.ts';

function render(template: Template, values: Record<string, string> = {}): string {
  const out = new ByteWriter(1);
  compileBodyPart(template).write(out, values);
  return out.copy().toString('latin1');
}

describe('compileBodyPart', () => {
  test('sends plain short lines as they are', () => {
    expect(compileBodyPart('Hello\n\nBye\n').encoding).toBe('7bit');
    expect(render('Hello\n\nBye\r')).toBe('Hello\r\n\r\nBye\r\n');
    expect(render('')).toBe('');
  });

  test.each(['é', 'a'.repeat(77), 'ends in space ', '.dot', 'From here', 'null\0', ['Hi ', hole('name')]])(
    'encodes where a relay could change it: %j',
    (template) => {
      expect(compileBodyPart(template).encoding).toBe('quoted-printable');
    },
  );

  test('re-wraps only the line that a value is in', () => {
    const template = ['<p>Dear ', hole('name'), `, welcome.</p>${'x'.repeat(100)}\n<p>Bye</p>\n`];
    expect(render(template, { name: 'Zoë' })).toBe(
      `<p>Dear Zo=C3=AB, welcome.</p>${'x'.repeat(45)}=\r\n${'x'.repeat(55)}\r\n<p>Bye</p>\r\n`,
    );
  });

  test('names the value that is missing', () => {
    expect(() => render([hole('name')])).toThrow(new MissingValueError('name'));
    expect(() => render([hole('toString')])).toThrow(MissingValueError);
  });

  test('gives what encoding the filled-in text gives, however often it is rendered', () => {
    const names = ['a', 'b', 'c'] as const;
    const piece = fc.oneof(awkwardText, fc.constantFrom(...names).map(hole));
    const template = fc.array(piece, { maxLength: 8 }).map((parts) => [...parts, hole('a')]);
    const values = fc.record({ a: awkwardText, b: awkwardText, c: awkwardText });
    fc.assert(
      fc.property(template, fc.array(values, { minLength: 1, maxLength: 4 }), (parts, copies) => {
        const part = compileBodyPart(parts);
        for (const copy of copies) {
          const out = new ByteWriter();
          part.write(out, copy);
          const whole = parts
            .map((each) => (typeof each === 'string' ? each : copy[each.hole as 'a']).toWellFormed())
            .join('');
          expect(out.copy().toString('latin1')).toBe(quotedPrintable(whole).toString('latin1'));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('stays right when more is to be kept than may be', () => {
    const line = 'x'.repeat(50_000);
    const part = compileBodyPart([hole('a'), line]);
    for (let length = 0; length < 80; length += 1) {
      const out = new ByteWriter();
      const value = 'y'.repeat(length);
      part.write(out, { a: value });
      expect(out.copy().equals(quotedPrintable(value + line))).toBe(true);
    }
  });
});
