/** Rows under headings, in columns as wide as they need to be; empty cells show as a dash. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string[] {
  const cells = rows.map((row) =>
    row.map((cell) => (cell === null || cell === '' ? '-' : printable(String(cell)))),
  );
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((row) => (row[index] ?? '').length)),
  );
  return [headings, ...cells].map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** People choose these texts: a control character in one must not reach the operator's terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
