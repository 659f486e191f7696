import type { ImportRecord } from '../api/campaigns.ts';
import { readValue } from './attributes.ts';

/** Tables of people, as spreadsheets write them (RFC 4180 with any of the usual separators), or plain addresses. */

const separators = [',', ';', '\t'] as const;

/** Rows of cells; quotes may hold separators and line breaks, and doubled quotes stand for one. */
export function parseCsv(text: string, separator = separatorOf(text)): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const source = text.replace(/^\uFEFF/, '');
  const endCell = () => {
    row.push(cell.trim());
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < source.length; at += 1) {
    const symbol = source.charAt(at);
    if (quoted) {
      if (symbol !== '"') cell += symbol;
      else if (source.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (symbol === '"' && cell.trim() === '') {
      cell = '';
      quoted = true;
    } else if (symbol === separator) endCell();
    else if (symbol === '\n') endRow();
    else if (symbol !== '\r') cell += symbol;
  }
  endRow();
  return rows;
}

/** The separator that the first line has most of. */
export function separatorOf(text: string): string {
  const [line = ''] = text.replace(/^\uFEFF/, '').split('\n', 1);
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = separators.map((separator) => bare.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** What a column holds: the address, the name, nothing of use, or the attribute of this name. */
export type Column =
  | { readonly kind: 'email' | 'name' | 'ignore' }
  | { readonly kind: 'attribute'; readonly name: string };

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A first guess, for people to correct. */
  readonly mapping: readonly Column[];
}

const EMAIL_NAMES = /^(e-?mail|mail|address|e-?mail[ _-]?address)$/i;
const NAME_NAMES = /^(name|full[ _-]?name|first[ _-]?name|display[ _-]?name)$/i;

/** A table from what was pasted or read; the first row is its head unless it holds an address. */
export function readTable(text: string): Table {
  const rows = parseCsv(text);
  const [first = []] = rows;
  const hasHead = rows.length > 0 && !first.some((cell) => cell.includes('@'));
  const width = Math.max(0, ...rows.slice(0, 100).map((row) => row.length));
  const body = hasHead ? rows.slice(1) : rows;
  const columns = Array.from({ length: width }, (_, index) =>
    hasHead ? first[index] || `column ${index + 1}` : `column ${index + 1}`,
  );
  return { columns, rows: body, mapping: guess(columns, body, hasHead) };
}

function guess(columns: readonly string[], rows: readonly (readonly string[])[], hasHead: boolean): Column[] {
  const named = columns.findIndex((name) => EMAIL_NAMES.test(name));
  const email =
    named === -1
      ? columns.findIndex((_, index) => rows.slice(0, 20).some((row) => row[index]?.includes('@')))
      : named;
  const called = columns.findIndex((name) => NAME_NAMES.test(name));
  const name = called === -1 && !hasHead && columns.length > 1 ? (email === 0 ? 1 : 0) : called;
  return columns.map((column, index) => {
    if (index === email) return { kind: 'email' };
    if (index === name) return { kind: 'name' };
    return hasHead ? { kind: 'attribute', name: column } : { kind: 'ignore' };
  });
}

/** Records of the rows; empty cells are left out, so they change nothing. */
export function recordsOf(table: Table, mapping: readonly Column[]): ImportRecord[] {
  return table.rows.map((row) => {
    let email = '';
    let name: string | undefined;
    const attributes: Record<string, unknown> = {};
    for (const [index, column] of mapping.entries()) {
      const cell = row[index] ?? '';
      if (cell === '') continue;
      if (column.kind === 'email') email = bareAddress(cell);
      else if (column.kind === 'name') name = name === undefined ? cell : `${name} ${cell}`;
      else if (column.kind === 'attribute') attributes[column.name] = readValue(cell);
    }
    return {
      email,
      ...(name !== undefined && { name }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
    };
  });
}

/** `Ana <ana@example.org>` as mail programs copy it. */
function bareAddress(cell: string): string {
  return /<([^<>]+)>\s*$/.exec(cell)?.[1] ?? cell;
}
