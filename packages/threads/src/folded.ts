import { removeHidden } from '@postern/kit';

/** Looks blank or begins another line: any of these, in any number, is one space. U+2800 is an empty glyph. */
export const BLANKS = /[\s\u0085\u2800]+/gu;

/**
 * A text without what makes no difference to what it says, to be compared and not to be shown: case, kinds and number
 * of spaces, width and composition of characters, what is not seen.
 */
export function folded(text: string): string {
  // There and back, since some letters have a form in one case only: ß and SS, ı and I.
  const cased = removeHidden(text.replace(BLANKS, ' '))
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
  // What is left of İ, and sigma at the end of a word, which may be the middle of another.
  return cased.replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').replace(BLANKS, ' ').trim();
}
