import type { AlignType } from 'mdast';

/** Characters that take two columns in a fixed-width type. */
const WIDE =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Rows of cells, the first of them the header, in aligned columns. Slack has no tables, but code keeps columns. */
export function alignedTable(rows: readonly (readonly string[])[], align: readonly AlignType[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? '', width, align[column] ?? null))
      .join(' | ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('-+-'));
  return lines.join('\n');
}

function padded(text: string, width: number, align: AlignType): string {
  const missing = width - widthOf(text);
  if (align === 'right') return ' '.repeat(missing) + text;
  const left = align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(left) + text + ' '.repeat(missing - left);
}
