import type { BlockContent, Definition, ListItem, Nodes, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { RecentMap } from '../remembered.ts';
import { type MarkedWriter, markedWriter } from './mrkdwn-line.ts';
import { type Context, DEEPEST, inline, plain, sourceOf } from './mrkdwn-phrases.ts';
import { alignedTable } from './mrkdwn-table.ts';
import { codeBlock, proseMrkdwn } from './mrkdwn-text.ts';

/**
 * Markdown as Slack's own markup. Nothing that can be read is lost: what Slack has no form for (HTML, a definition
 * nobody refers to) stays as it was written.
 */
export function toMrkdwn(markdown: string): string {
  const before = recent.get(markdown);
  if (before !== undefined) return before;
  const mrkdwn = render(markdown);
  recent.set(markdown, mrkdwn);
  return mrkdwn;
}

/** A text is measured before it is posted, and posted as it was measured; parsing is what costs. */
const recent = new RecentMap<string>(64);

function render(markdown: string): string {
  if (COSTLY.test(markdown)) return proseMrkdwn(markdown);
  const tree = fromMarkdown(markdown, { extensions: SYNTAX, mdastExtensions: [gfmFromMarkdown()] });
  const context: Context = { source: markdown, definitions: new Map(), used: new Set() };
  collect(tree, context, 0);
  const mrkdwn = blocks(tree.children, context, 0)
    .map(({ text }) => text)
    .join('\n');
  // A heading without words, say: somebody wanted to post it.
  return mrkdwn.trim() === '' ? proseMrkdwn(markdown) : mrkdwn;
}

/** Entities stay as they were written: who writes `&lt;` means those four characters more often than one. */
const SYNTAX = [gfm(), { disable: { null: ['characterReference'] } }];

interface Line {
  readonly text: string;
  /** Code: neither indented nor quoted, since that would change it. */
  readonly isVerbatim: boolean;
}

const RULE = '──────────';
const BULLETS = ['•', '◦', '▪'] as const;
const INDENT = '    ';

/** What takes any Markdown parser quadratic time and nobody writes: it goes out as it stands. */
const COSTLY = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){40}|[*_~]{240}/m;

function collect(node: Nodes, context: Context, depth: number): void {
  if (node.type === 'definition') context.definitions.set(node.identifier, node);
  if (node.type === 'linkReference' || node.type === 'imageReference') context.used.add(node.identifier);
  if ('children' in node && depth < DEEPEST) {
    for (const child of node.children) collect(child, context, depth + 1);
  }
}

function blocks(nodes: readonly RootContent[], context: Context, depth: number): Line[] {
  const lines: Line[] = [];
  let before: RootContent | null = null;
  for (const node of nodes) {
    const own = block(node, context, depth);
    if (own.length === 0) continue;
    if (before !== null && isApart(before, node)) lines.push(line(''));
    lines.push(...own);
    before = node;
  }
  return lines;
}

/** Whether the source has an empty line between two blocks. */
function isApart(before: RootContent, after: RootContent): boolean {
  return (after.position?.start.line ?? 0) - (before.position?.end.line ?? 0) > 1;
}

function block(node: RootContent, context: Context, depth: number): Line[] {
  if (depth >= DEEPEST) return prose(sourceOf(node, context));
  switch (node.type) {
    case 'paragraph':
      return written((writer) => inline(node.children, writer, context, depth));
    case 'heading':
      return written((writer) => writer.within('*', () => inline(node.children, writer, context, depth)));
    case 'code': {
      // A fence with text behind it that cannot be a language, or with nothing below it, may be all there is to read.
      const info = [node.lang, node.meta].filter((part) => typeof part === 'string').join(' ');
      const isLanguage = typeof node.meta !== 'string' && node.value !== '';
      return [
        ...(info === '' || isLanguage ? [] : prose(info)),
        { text: codeBlock(node.value), isVerbatim: true },
      ];
    }
    case 'blockquote':
      return blocks(node.children, context, depth + 1).map((each) =>
        each.isVerbatim ? each : line(`> ${each.text}`),
      );
    case 'list':
      return node.children.flatMap((item, index) => {
        const bullet = node.ordered === true ? `${(node.start ?? 1) + index}.` : bulletAt(depth);
        const lines = listItem(item, bullet, context, depth);
        return node.spread === true && index > 0 ? [line(''), ...lines] : lines;
      });
    case 'table': {
      const rows = node.children.map((row) =>
        row.children.map((cell) => plain(cell.children, context, depth)),
      );
      return [{ text: codeBlock(alignedTable(rows, node.align ?? [])), isVerbatim: true }];
    }
    case 'thematicBreak':
      return [line(RULE)];
    case 'definition':
      return context.used.has(node.identifier) ? [] : prose(sourceOf(node, context));
    case 'footnoteDefinition': {
      const [first, ...rest] = blocks(node.children, context, depth + 1);
      const label = proseMrkdwn(`[^${node.label ?? node.identifier}]:`);
      if (first === undefined || first.isVerbatim) return [line(label), ...(first ? [first] : []), ...rest];
      return [line(`${label} ${first.text}`), ...rest];
    }
    default:
      return prose(sourceOf(node, context));
  }
}

function bulletAt(depth: number): string {
  return BULLETS[Math.min(Math.floor(depth / 2), BULLETS.length - 1)] ?? BULLETS[0];
}

function listItem(item: ListItem, bullet: string, context: Context, depth: number): Line[] {
  const task = typeof item.checked === 'boolean' ? ` ${item.checked ? '☑' : '☐'}` : '';
  const own = itemBlocks(item.children, context, depth);
  const [first, ...rest] = own;
  const indented = (each: Line) =>
    each.isVerbatim || each.text === '' ? each : line(`${INDENT}${each.text}`);
  if (first === undefined || first.isVerbatim) return [line(`${bullet}${task}`), ...own.map(indented)];
  return [line(`${bullet}${task} ${first.text}`), ...rest.map(indented)];
}

/** Blocks of an item: lists in it are one level deeper, which bullets tell by two steps of depth. */
function itemBlocks(
  children: readonly (BlockContent | Definition | RootContent)[],
  context: Context,
  depth: number,
) {
  return blocks(children as readonly RootContent[], context, depth + 2);
}

function written(write: (writer: MarkedWriter) => void): Line[] {
  const writer = markedWriter();
  write(writer);
  const text = writer.finish();
  return text.trim() === '' ? [] : text.split('\n').map(line);
}

function prose(text: string): Line[] {
  return proseMrkdwn(text).split('\n').map(line);
}

function line(text: string): Line {
  return { text, isVerbatim: false };
}
