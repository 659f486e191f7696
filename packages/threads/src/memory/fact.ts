import { createHash } from 'node:crypto';
import { removeHidden, storableText } from '@postern/kit';
import { BLANKS, folded } from '../folded.ts';

/** The text of a memory: one line, and short. */

/** In code points, after normalisation. */
export const LONGEST_FACT = 500;

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

export type Fact =
  | { readonly kind: 'fact'; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too_long'; readonly length: number };

/**
 * A text as it is kept: on one line, without what is not seen, at most 500 code points. A longer one is refused,
 * since half of a fact may say the opposite.
 */
export function factOf(given: string): Fact {
  const text = oneLine(given);
  if (!SEEN.test(text)) return { kind: 'empty' };
  const { length } = [...text];
  return length > LONGEST_FACT ? { kind: 'too_long', length } : { kind: 'fact', text };
}

function oneLine(text: string): string {
  // Blanks first: a line break is a control character, and would join two words by its going.
  const joined = storableText(text).replace(BLANKS, ' ');
  return removeHidden(joined).replace(BLANKS, ' ').trim();
}

/** Equal for texts that say the same in the same words. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(folded(text)).digest('hex');
}
