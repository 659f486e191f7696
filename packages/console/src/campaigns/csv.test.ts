import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCsv, readTable, recordsOf } from './csv.ts';

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', ' ', '@', '\t') });

test('what a spreadsheet writes is what is read', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constant('x'), cell), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(',', ';', '\t'),
      (rows, separator) => {
        const text = rows
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(separator))
          .join('\r\n');
        expect(parseCsv(text, separator)).toEqual(rows.map((row) => row.map((one) => one.trim())));
      },
    ),
  );
});

test('a head names attributes, and empty cells change nothing', () => {
  const table = readTable('\uFEFFE-Mail;Name;zip;orders\nana@example.org;Ana;01234;7\nbo@example.org;;;\n\n');
  expect(recordsOf(table, table.mapping)).toEqual([
    { email: 'ana@example.org', name: 'Ana', attributes: { zip: '01234', orders: 7 } },
    { email: 'bo@example.org' },
  ]);
});

test('bare addresses need no head, and may carry names as mail programs copy them', () => {
  const table = readTable('Ana Lima <ana@example.org>\nbo@example.org');
  expect(recordsOf(table, table.mapping)).toEqual([
    { email: 'ana@example.org' },
    { email: 'bo@example.org' },
  ]);
});
