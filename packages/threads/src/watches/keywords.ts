import { removeHidden } from '@postern/kit';
import { BLANKS, folded } from '../folded.ts';

export const MOST_KEYWORDS = 20;
const LONGEST_KEYWORD = 100;

export type KeywordsReading =
  | { readonly ok: true; readonly keywords: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Keywords as they are kept: in small letters, each once however it is written, in their order. */
export function keywordsOf(words: readonly string[]): KeywordsReading {
  const byMeaning = new Map(words.toReversed().map((word) => [folded(word.toWellFormed()), shown(word)]));
  byMeaning.delete('');
  const keywords = [...byMeaning.values()].toReversed();
  if (keywords.length === 0)
    return { ok: false, reason: 'A watch needs a keyword, so that not every message is looked at.' };
  if (keywords.length > MOST_KEYWORDS)
    return { ok: false, reason: `A watch has at most ${MOST_KEYWORDS} keywords.` };
  const long = keywords.some((word) => [...word].length > LONGEST_KEYWORD);
  return long
    ? { ok: false, reason: `A keyword has at most ${LONGEST_KEYWORD} characters.` }
    : { ok: true, keywords };
}

function shown(word: string): string {
  const text = removeHidden(word.toWellFormed().replace(BLANKS, ' '));
  return text.normalize('NFKC').toLowerCase().replace(BLANKS, ' ').trim();
}

/** Whether a message holds one of the keywords, anywhere and however either is written. */
export function holdsOne(text: string, keywords: readonly string[]): boolean {
  const message = folded(text);
  return keywords.map(folded).some((word) => word !== '' && message.includes(word));
}
