/** Small pieces of Markdown. */

/** Text in a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}

export function block(language: string, text: string): string[] {
  return [`\`\`\`${language}`, text, '```'];
}

export function jsonBlock(value: unknown): string[] {
  return block('json', JSON.stringify(value, null, 2));
}

export function link(text: string, target: string): string {
  return `[${text}](${target})`;
}
