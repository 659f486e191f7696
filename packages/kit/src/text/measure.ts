/** What a platform counts when it limits a text. */
export type TextUnit = 'utf16' | 'codepoints' | 'utf8';

/** The length of a text in a unit. A lone surrogate counts as one code point, and as three bytes. */
export function measureText(text: string, unit: TextUnit): number {
  if (unit === 'utf16') return text.length;
  let size = 0;
  for (let index = 0; index < text.length; ) {
    const point = text.codePointAt(index) ?? 0;
    size += measurePoint(point, unit);
    index += point > 0xffff ? 2 : 1;
  }
  return size;
}

/** The size of one code point in a unit. */
export function measurePoint(point: number, unit: TextUnit): number {
  if (unit === 'codepoints') return 1;
  if (unit === 'utf16') return point > 0xffff ? 2 : 1;
  if (point > 0xffff) return 4;
  if (point > 0x7ff) return 3;
  return point > 0x7f ? 2 : 1;
}

/** The largest a single code point can be: no limit below it can be kept. */
export const LARGEST_POINT: Readonly<Record<TextUnit, number>> = { codepoints: 1, utf16: 2, utf8: 4 };
