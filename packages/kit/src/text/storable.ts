/**
 * The text with every NUL and lone surrogate replaced by U+FFFD. PostgreSQL's text holds neither, and JSON and
 * UTF-8 cannot carry a lone surrogate; anything that comes from outside and is stored goes through here.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
