import type { Report, Table } from './benchmark.ts';

/** A report for a terminal: its tables, then each target and whether it was met. */
export function printed(report: Pick<Report, 'tables' | 'targets'>): string {
  const parts = report.tables.map(printedTable);
  if (report.targets.length > 0) {
    const missed = report.targets.filter(({ found, atMost }) => found > atMost);
    const lines = missed.map(
      ({ what, found, atMost }) => `  MISSED  ${what}: ${rounded(found)} (at most ${atMost})`,
    );
    const met = report.targets.length - missed.length;
    parts.push([`Targets: ${met} of ${report.targets.length} met`, ...lines].join('\n'));
  }
  return parts.join('\n\n');
}

function printedTable({ title, columns, rows }: Table): string {
  const cells = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    // Names to the left, figures to the right.
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const [header = [], ...body] = cells;
  return [title, line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
