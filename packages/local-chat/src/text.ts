/**
 * Text as both engines can keep it: PostgreSQL knows no U+0000, and neither keeps half a surrogate pair. Both
 * become U+FFFD, so that what is answered at once and what is read later are the same.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** Text as search compares it. Folded here, since the engines disagree on what case is. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
