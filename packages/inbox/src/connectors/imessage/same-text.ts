/** What Messages and keyboards change in a text on its way. */
const VARIATIONS = /[\u200d\ufe0e\ufe0f\ufffc]/g;
const SINGLE_QUOTES = /[\u2018\u2019\u201a\u201b]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f]/g;

/** A form in which a text that was sent and the one in the database are the same. */
export function comparable(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(VARIATIONS, '')
    .replaceAll(SINGLE_QUOTES, "'")
    .replaceAll(DOUBLE_QUOTES, '"')
    .replaceAll('\u2026', '...')
    .replaceAll('\u2014', '--')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
