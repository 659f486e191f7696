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
