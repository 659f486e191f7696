import { dayOf } from './background.ts';
import type { MemoryEntry } from './entry.ts';

/** Memory as people read it in a chat. Texts stand in code, so that nothing in them rings, links or formats. */

/** Markdown of entries, one a line. */
export function listed(entries: readonly MemoryEntry[]): string {
  return entries.map(line).join('\n');
}

function line({ index, source, author, createdMs, text }: MemoryEntry): string {
  const whose = source === 'user' ? '' : 'for ';
  return `- **${index}.** ${code(text)} (${source}, ${whose}${named(author)}, ${dayOf(createdMs)})`;
}

/** The id beside the name, since anybody may take a name. */
function named({ id, name }: MemoryEntry['author']): string {
  return name === id ? code(id) : `${code(name)}, id ${code(id)}`;
}

/** A text of one line as code that nothing in it can end. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Why a text cannot be kept, for whoever wrote it. */
export function badFact(
  bad: { readonly kind: 'empty' } | { readonly kind: 'too_long'; readonly length: number },
) {
  return bad.kind === 'empty'
    ? 'There is nothing to remember in it.'
    : `A memory has at most 500 characters, and this has ${bad.length}. Nothing was saved; say it shorter.`;
}
