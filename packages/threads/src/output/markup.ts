import { scanLines } from '@postern/kit';

/** Small Markdown that is safe whatever stands in it. */

/** One line of code, cut to so many characters. */
export function inlineCode(text: string, longest: number): string {
  const line = oneLine(text, longest);
  if (line === '') return '';
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longestRun + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${line}${space}${ticks}`;
}

/** A fenced block that nothing in the text can close. */
export function fenced(text: string, language = ''): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** White space, line ends among it, made single blanks; cut to so many characters, never within one. */
export function oneLine(text: string, longest: number): string {
  // A long text is not looked at as a whole for the sake of its beginning.
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const points = Array.from(line);
  return points.length > longest || text.length > longest * 4
    ? `${points.slice(0, longest).join('')}…`
    : line;
}

/** Text as it stands, its markup characters shown rather than obeyed. */
export function plain(text: string): string {
  return text.replace(/[\\`*_~[\]<>#|]/g, '\\$&');
}

/** The text with a code block that it leaves open closed, so that what follows is no code. */
export function balanced(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text;
  const last = scanLines(text).at(-1);
  if (!last?.fence || last.kind === 'close') return text;
  return `${text}${text.endsWith('\n') ? '' : '\n'}${last.fence.indent}${last.fence.marker}`;
}
