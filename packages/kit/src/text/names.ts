import { removeHidden } from './hidden.ts';

/** Names of people and channels, as they may be shown: text that someone else chose. */

const LONGEST_NAME = 80;
const LAST_RESORT = 'unknown';

/** Looks blank or moves to another line: any of these, in any number, is one space. U+2800 is an empty glyph. */
const BLANKS = /[\s\u0085\u2800]+/gu;

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * A name fit to be shown beside others: one line, at most 80 code points and never empty. Nothing in it can hide,
 * reorder or blank out what stands next to it. Emoji sequences stay whole.
 *
 * @param fallback taken (and cleaned likewise) when nothing visible is left, say the sender's id.
 */
export function sanitizeName(name: string, fallback: string): string {
  return clean(name) || clean(fallback) || LAST_RESORT;
}

function clean(name: string): string {
  const text = removeHidden(name.replace(BLANKS, ' ')).replace(BLANKS, ' ').trim();
  return SEEN.test(text) ? shorten(text) : '';
}

function shorten(name: string): string {
  let result = '';
  let length = 0;
  for (const { segment } of graphemes.segment(name)) {
    length += [...segment].length;
    if (length > LONGEST_NAME) break;
    result += segment;
  }
  // A single grapheme may be longer than the bound: marks can be heaped without end.
  return result.trimEnd() || [...name].slice(0, LONGEST_NAME).join('');
}
