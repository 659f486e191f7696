/**
 * The light Markdown of chat messages, parsed to a tree; there is no way to raw HTML in it. Anything that
 * isn't recognised stays the text it was.
 */

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'mention'; readonly text: string }
  | Reference
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] };

/** What a platform writes as an id and its own client shows by name. */
export interface Reference {
  readonly kind: 'reference';
  readonly to: 'person' | 'role' | 'channel' | 'emoji' | 'time';
  /** An id; of an emoji its name; of a time the seconds since the epoch. */
  readonly value: string;
  /** As it stands in the message. */
  readonly text: string;
}

/** What to show for a reference; null for the text it was. */
export type Naming = (reference: Reference) => string | null;

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly (readonly Inline[])[] };

/** Deeper nesting than this is shown as text; no one writes it, and a parser must have a floor. */
const MAX_DEPTH = 6;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
const QUOTE = /^> ?/;
const BULLET = /^\s{0,3}[-*•]\s+(.*)$/;
const NUMBER = /^\s{0,3}(\d{1,9})[.)]\s+(.*)$/;

export function parseMarkdown(source: string, depth = 0): readonly Block[] {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let index = 0;

  function endParagraph(): void {
    while (paragraph.at(-1)?.trim() === '') paragraph.pop();
    while (paragraph[0]?.trim() === '') paragraph.shift();
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', children: parseInline(paragraph.join('\n')) });
    paragraph = [];
  }

  function take(pattern: RegExp): string[] {
    const taken: string[] = [];
    while (index < lines.length && pattern.test(lines[index] ?? '')) taken.push(lines[index++] ?? '');
    return taken;
  }

  while (index < lines.length) {
    const line = lines[index] ?? '';
    const fence = FENCE.exec(line);
    if (fence !== null) {
      endParagraph();
      index += 1;
      const code = takeCode(lines, index, fence[1] ?? '');
      index = code.next;
      blocks.push({ kind: 'code', language: (fence[2] ?? '').trim(), text: code.text });
    } else if (QUOTE.test(line) && depth < MAX_DEPTH) {
      endParagraph();
      const quoted = take(QUOTE).map((text) => text.replace(QUOTE, ''));
      blocks.push({ kind: 'quote', blocks: parseMarkdown(quoted.join('\n'), depth + 1) });
    } else if (HEADING.test(line)) {
      endParagraph();
      blocks.push({ kind: 'heading', children: parseInline(HEADING.exec(line)?.[1] ?? '') });
      index += 1;
    } else if (BULLET.test(line)) {
      endParagraph();
      const items = take(BULLET).map((text) => parseInline(BULLET.exec(text)?.[1] ?? ''));
      blocks.push({ kind: 'list', start: null, items });
    } else if (NUMBER.test(line)) {
      endParagraph();
      const start = Number(NUMBER.exec(line)?.[1] ?? '1');
      const items = take(NUMBER).map((text) => parseInline(NUMBER.exec(text)?.[2] ?? ''));
      blocks.push({ kind: 'list', start, items });
    } else {
      if (line.trim() === '') endParagraph();
      else paragraph.push(line);
      index += 1;
    }
  }
  endParagraph();
  return blocks;
}

/** Up to the closing fence, or the end: an unclosed fence is code, as people mean it. */
function takeCode(lines: readonly string[], from: number, fence: string) {
  const marker = fence.charAt(0);
  const code: string[] = [];
  let index = from;
  for (; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim();
    const closes = line.length >= fence.length && [...line].every((symbol) => symbol === marker);
    if (closes) return { text: code.join('\n'), next: index + 1 };
    code.push(lines[index] ?? '');
  }
  return { text: code.join('\n'), next: index };
}

/** One alternative for each thing that may begin inside a line; the first to match at a place wins. */
const TOKEN = new RegExp(
  [
    /\\(?<escaped>[\\`*_~[\]<>#|])/u,
    /(?<tick>`+)(?<code>[\s\S]*?[^`])\k<tick>(?!`)/u,
    /\[(?<label>(?:[^[\]\\\n]|\\.){1,500})\]\((?<target>[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)\)/u,
    /<(?<sigil>@[!&]?|#)(?<id>\d{15,20})>/u,
    /<a?:(?<emoji>\w{2,32}):\d{15,20}>/u,
    /<t:(?<time>-?\d{1,11})(?::[tTdDfFsSR])?>/u,
    /(?<url>https?:\/\/[^\s<>"']+)/u,
    /\*\*(?<bold>(?=\S)[\s\S]*?\S)(?<!\\)\*\*(?!\*)/u,
    /(?<![\p{L}\p{N}_])__(?<bold2>(?=\S)[\s\S]*?\S)(?<!\\)__(?![\p{L}\p{N}_])/u,
    /~~(?<strike>(?=\S)[\s\S]*?\S)(?<!\\)~~/u,
    /\*(?<italic>(?=[^\s*])(?:[^*\\]|\\[\s\S])*?[^\s*\\])\*(?!\*)/u,
    /(?<![\p{L}\p{N}_])_(?<italic2>(?=[^\s_])(?:[^_\\]|\\[\s\S])*?[^\s_\\])_(?![\p{L}\p{N}_])/u,
    /(?<![\p{L}\p{N}._-])@(?<mention>[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,62}[\p{L}\p{N}_])?)/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

export function parseInline(source: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of depth > MAX_DEPTH ? [] : source.matchAll(TOKEN)) {
    const node = inlineOf(match, depth);
    if (node === null) continue;
    if (match.index > from) found.push({ kind: 'text', text: source.slice(from, match.index) });
    found.push(node.inline);
    from = match.index + match[0].length;
    if (node.rest !== '') found.push({ kind: 'text', text: node.rest });
  }
  if (from < source.length) found.push({ kind: 'text', text: source.slice(from) });
  return found;
}

function inlineOf(match: RegExpExecArray, depth: number): { inline: Inline; rest: string } | null {
  const groups = match.groups ?? {};
  const inside = (text: string) => parseInline(text, depth + 1);
  if (groups.escaped !== undefined) return plain({ kind: 'text', text: groups.escaped });
  if (groups.code !== undefined) return plain({ kind: 'code', text: trimCode(groups.code) });
  if (groups.label !== undefined) {
    const href = safeHref(groups.target ?? '');
    // A label with markup in it is fine; a link in it is not, since links don't nest.
    return href === null ? null : plain({ kind: 'link', href, children: withoutLinks(inside(groups.label)) });
  }
  const reference = referenceOf(match[0], groups);
  if (reference !== null) return plain(reference);
  if (groups.url !== undefined) {
    const { url, rest } = splitUrl(groups.url);
    const href = safeHref(url);
    return href === null
      ? null
      : { inline: { kind: 'link', href, children: [{ kind: 'text', text: url }] }, rest };
  }
  const bold = groups.bold ?? groups.bold2;
  if (bold !== undefined) return plain({ kind: 'strong', children: inside(bold) });
  if (groups.strike !== undefined) return plain({ kind: 'strike', children: inside(groups.strike) });
  const italic = groups.italic ?? groups.italic2;
  if (italic !== undefined) return plain({ kind: 'emphasis', children: inside(italic) });
  if (groups.mention !== undefined) return plain({ kind: 'mention', text: groups.mention });
  return null;
}

const SIGILS: Readonly<Record<string, Reference['to']>> = {
  '@': 'person',
  '@!': 'person',
  '@&': 'role',
  '#': 'channel',
};

function referenceOf(text: string, groups: Readonly<Record<string, string | undefined>>): Reference | null {
  const { sigil, id, emoji, time } = groups;
  const to = SIGILS[sigil ?? ''];
  if (to !== undefined && id !== undefined) return { kind: 'reference', to, value: id, text };
  if (emoji !== undefined) return { kind: 'reference', to: 'emoji', value: emoji, text };
  return time === undefined ? null : { kind: 'reference', to: 'time', value: time, text };
}

function plain(inline: Inline): { inline: Inline; rest: string } {
  return { inline, rest: '' };
}

function trimCode(text: string): string {
  return /^ .*\S.* $/s.test(text) ? text.slice(1, -1) : text;
}

function withoutLinks(children: readonly Inline[]): readonly Inline[] {
  return children.flatMap((child) => (child.kind === 'link' ? child.children : [child]));
}

/** Punctuation that ends the sentence is not part of a bare address; a bracket is, when it was opened in it. */
function splitUrl(found: string): { url: string; rest: string } {
  let url = found;
  for (;;) {
    const last = url.at(-1) ?? '';
    const unopened = last === ')' && count(url, '(') < count(url, ')');
    if (!unopened && !/[.,:;!?*_~'\]}]/.test(last)) break;
    url = url.slice(0, -1);
  }
  return { url, rest: found.slice(url.length) };
}

function count(text: string, symbol: string): number {
  return text.split(symbol).length - 1;
}

/** Only these schemes are followed; `javascript:` and `data:` links are text. */
export function safeHref(target: string): string | null {
  try {
    const url = new URL(target);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The words of a message without its markup, for previews and announcements. */
export function plainText(source: string, naming: Naming = () => null): string {
  const words = (blocks: readonly Block[]) => blocks.map((block) => blockText(block, naming)).join(' ');
  return words(parseMarkdown(source)).replace(/\s+/g, ' ').trim();
}

function blockText(block: Block, naming: Naming): string {
  if (block.kind === 'code') return block.text;
  if (block.kind === 'quote') return block.blocks.map((inner) => blockText(inner, naming)).join(' ');
  if (block.kind === 'list') return block.items.map((item) => inlineText(item, naming)).join(' ');
  return inlineText(block.children, naming);
}

function inlineText(children: readonly Inline[], naming: Naming): string {
  return children
    .map((child) => {
      if (child.kind === 'mention') return `@${child.text}`;
      if (child.kind === 'reference') return naming(child) ?? child.text;
      return 'children' in child ? inlineText(child.children, naming) : child.text;
    })
    .join('');
}
