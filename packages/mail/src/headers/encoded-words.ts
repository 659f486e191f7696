/**
 * Encoded words (RFC 2047), UTF-8 only: each at most 75 long and whole by itself, so no character is ever divided
 * between two.
 */

/** RFC 2047 section 2. */
const MAX_ENCODED_WORD = 75;
const OVERHEAD = '=?UTF-8?Q??='.length;
/** The strictest of the three sets in RFC 2047 section 5, so that a word may stand in a phrase too. */
const Q_LITERAL = /^[A-Za-z0-9!*+\-/]$/;
const ASCII_SIZES: readonly number[] = Array.from({ length: 128 }, (_, code) =>
  code === 0x20 || Q_LITERAL.test(String.fromCharCode(code)) ? 1 : 3,
);

/**
 * Encodes a text as a row of encoded words, which readers join without the white space between them.
 *
 * @param text well-formed, without controls.
 * @param firstSpace places left for the first word on its line; the others may be as long as the rule allows.
 */
export function encodedWords(text: string, firstSpace: number = MAX_ENCODED_WORD): string[] {
  const encoding = shorterEncoding(text);
  const words: string[] = [];
  let chunk = '';
  let size = 0;
  let space = Math.min(firstSpace, MAX_ENCODED_WORD) - OVERHEAD;
  for (const character of text) {
    const grown = size + (encoding === 'Q' ? qSize(character) : Buffer.byteLength(character));
    if (chunk !== '' && (encoding === 'Q' ? grown : base64Size(grown)) > space) {
      words.push(encodeWord(chunk, encoding));
      chunk = character;
      size = grown - size;
      space = MAX_ENCODED_WORD - OVERHEAD;
    } else {
      chunk += character;
      size = grown;
    }
  }
  if (chunk !== '') words.push(encodeWord(chunk, encoding));
  return words;
}

/** The least room in which a first word makes sense: it must hold at least one character of four octets. */
export const SHORTEST_ENCODED_WORD = OVERHEAD + 12;

function shorterEncoding(text: string): 'Q' | 'B' {
  let quoted = 0;
  for (const character of text) quoted += qSize(character);
  return quoted <= base64Size(Buffer.byteLength(text)) ? 'Q' : 'B';
}

function qSize(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return ASCII_SIZES[code] ?? Buffer.byteLength(character) * 3;
}

function base64Size(octets: number): number {
  return Math.ceil(octets / 3) * 4;
}

function encodeWord(text: string, encoding: 'Q' | 'B'): string {
  const octets = Buffer.from(text);
  if (encoding === 'B') return `=?UTF-8?B?${octets.toString('base64')}?=`;
  let encoded = '';
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (octet === 0x20) encoded += '_';
    else if (octet < 0x80 && Q_LITERAL.test(character)) encoded += character;
    else encoded += `=${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return `=?UTF-8?Q?${encoded}?=`;
}
