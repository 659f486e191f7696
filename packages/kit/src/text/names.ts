/** Names of people and channels, as they may be shown: text that someone else chose. */

const LONGEST_NAME = 80;
const LAST_RESORT = 'unknown';

/** Looks blank or moves to another line: any of these, in any number, is one space. U+2800 is an empty glyph. */
const BLANKS = /[\s\u0085\u2800]+/gu;

/**
 * Controls, bidi overrides and isolates, zero-width and other invisible characters, lone surrogates. The two that
 * make up emoji (U+200D, U+FE0F) are looked at separately.
 */
const UNSEEN = /(?![\u200d\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const STRAY_SELECTOR = /(?<!\p{Emoji})\ufe0f/gu;
const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

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
  const text = name
    .replace(BLANKS, ' ')
    .replace(UNSEEN, '')
    .replace(STRAY_SELECTOR, '')
    .replace(STRAY_JOINER, '')
    .replace(BLANKS, ' ')
    .trim();
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
