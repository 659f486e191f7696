/** Up to two letters that stand for a name in an avatar. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/u)
    .filter((word) => word !== '');
  const first = firstLetter(words[0] ?? '');
  const last = words.length > 1 ? firstLetter(words.at(-1) ?? '') : '';
  return (first + last).toLocaleUpperCase() || '?';
}

function firstLetter(word: string): string {
  const symbols = [...word];
  return symbols.find((symbol) => /[\p{L}\p{N}]/u.test(symbol)) ?? symbols[0] ?? '';
}

export const AVATAR_HUES = 8;

/** A number that stays the same for an id, so that a person keeps their colour. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const symbol of id) hash = (hash * 31 + (symbol.codePointAt(0) ?? 0)) >>> 0;
  return hash % AVATAR_HUES;
}

/** Letters that no decomposition brings to ASCII, as their readers write them without. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

/** Small letters without marks, Latin ones in ASCII. */
export function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (letter) => WRITTEN_OUT[letter] ?? '');
}

/** An id or channel name as the server takes it, made from what a person typed. */
export function slugOf(text: string): string {
  return plainLetters(text)
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 64);
}

/** Two names that a reader would take for one: case, width, accents and spaces make no difference. */
export function looksLike(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\s\p{Cf}]+/gu, '')
    .toLocaleLowerCase();
}

const byteUnits = ['B', 'kB', 'MB', 'GB'];

export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${byteUnits[unit]}`;
}

/** “1 message”, “3 messages”. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
