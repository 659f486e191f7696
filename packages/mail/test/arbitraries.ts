import fc from 'fast-check';

/** Texts with many line breaks, spaces, signs that need care and characters of every width. */
export const awkwardText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      'F',
      '.',
      '=',
      ' ',
      '\t',
      '\r',
      '\n',
      '\r\n',
      'é',
      '€',
      '😀',
      '\0',
      'word ',
      'x'.repeat(70),
    ),
    maxLength: 120,
  }),
);

/** Text for a header field: anything but controls. */
export const headerText = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.string({
      unit: fc.constantFrom('a', ' ', '=?', '?=', '_', 'é', '漢', '👩‍👩‍👧‍👦', 'word ', '"', '\\', 'שלום'),
      maxLength: 80,
    }),
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 1_500 }),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it takes out
  .map((text) => text.replace(/[\u0000-\u001f\u007f]/g, '').toWellFormed());
