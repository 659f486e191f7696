/** The words behind a command's name, and where each ends. */
export interface Word {
  readonly text: string;
  /** Index behind it. */
  readonly end: number;
}

/** What opens a quotation, and what ends it. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
};

/**
 * Words of one line. What stands in quotation marks is one word, without them, and so is a platform's form of a
 * mention, `<@U123|al>`. A mark that nothing closes is a character as any other.
 */
export function wordsOf(line: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && isBlank(line.charAt(at))) at += 1;
    if (at >= line.length) return words;
    const word = quoted(line, at) ?? mention(line, at) ?? plain(line, at);
    words.push(word);
    at = word.end;
  }
}

function quoted(line: string, start: number): Word | null {
  const closing = QUOTES[line.charAt(start)];
  if (closing === undefined) return null;
  for (let at = line.indexOf(closing, start + 1); at >= 0; at = line.indexOf(closing, at + 1)) {
    const end = at + closing.length;
    if (end === line.length || isBlank(line.charAt(end))) return { text: line.slice(start + 1, at), end };
  }
  return null;
}

function mention(line: string, start: number): Word | null {
  const [found] = /^<[@#!][^<>\n]+>/.exec(line.slice(start)) ?? [];
  return found === undefined ? null : { text: found, end: start + found.length };
}

function plain(line: string, start: number): Word {
  let end = start;
  while (end < line.length && !isBlank(line.charAt(end))) end += 1;
  return { text: line.slice(start, end), end };
}

function isBlank(character: string): boolean {
  return /\s/.test(character);
}
