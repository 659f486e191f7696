export const MOST_KEYWORDS = 20;
const LONGEST_KEYWORD = 100;

export type KeywordsReading =
  | { readonly ok: true; readonly keywords: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** How keywords and messages are compared: case, width and composition of characters, and blanks mean nothing. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

/** Keywords as they are kept: folded, each once, in their order. */
export function keywordsOf(words: readonly string[]): KeywordsReading {
  const keywords = [...new Set(words.map((word) => folded(word.toWellFormed())))].filter(
    (word) => word !== '',
  );
  if (keywords.length === 0)
    return { ok: false, reason: 'A watch needs a keyword, so that not every message is looked at.' };
  if (keywords.length > MOST_KEYWORDS)
    return { ok: false, reason: `A watch has at most ${MOST_KEYWORDS} keywords.` };
  const long = keywords.some((word) => [...word].length > LONGEST_KEYWORD);
  return long
    ? { ok: false, reason: `A keyword has at most ${LONGEST_KEYWORD} characters.` }
    : { ok: true, keywords };
}

/** Whether a message holds one of the keywords, anywhere. */
export function holdsOne(text: string, keywords: readonly string[]): boolean {
  const message = folded(text);
  return keywords.some((word) => message.includes(word));
}
