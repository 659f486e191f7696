import type { Definition, Nodes, PhrasingContent } from 'mdast';
import type { MarkedWriter } from './mrkdwn-line.ts';
import { codeSpan, linkMrkdwn, literalMrkdwn, proseMrkdwn } from './mrkdwn-text.ts';

/** What stands within a line of Markdown, as Slack's markup and as plain text. */

export interface Context {
  readonly source: string;
  readonly definitions: Map<string, Definition>;
  /** Identifiers that something refers to. */
  readonly used: Set<string>;
}

/** Deeper than anybody writes; below it the source is shown, so that no text can exhaust the stack. */
export const DEEPEST = 24;
export function inline(
  nodes: readonly PhrasingContent[],
  writer: MarkedWriter,
  context: Context,
  depth: number,
): void {
  for (const node of nodes) phrase(node, writer, context, depth);
}

function phrase(node: PhrasingContent, writer: MarkedWriter, context: Context, depth: number): void {
  if (depth >= DEEPEST) {
    writer.text(proseMrkdwn(sourceOf(node, context)));
    return;
  }
  switch (node.type) {
    case 'text':
      writer.text(literalMrkdwn(node.value));
      return;
    case 'strong':
      writer.within('*', () => inline(node.children, writer, context, depth + 1));
      return;
    case 'emphasis':
      writer.within('_', () => inline(node.children, writer, context, depth + 1));
      return;
    case 'delete':
      writer.within('~', () => inline(node.children, writer, context, depth + 1));
      return;
    case 'inlineCode':
      writer.atom(codeSpan(node.value), true);
      return;
    case 'break':
      writer.text('\n');
      return;
    case 'link':
      link(node.url, node.children, writer, context, depth);
      return;
    case 'linkReference': {
      const url = context.definitions.get(node.identifier)?.url;
      if (url === undefined) {
        writer.text(proseMrkdwn(sourceOf(node, context)));
        return;
      }
      link(url, node.children, writer, context, depth);
      return;
    }
    case 'image':
      image(node.url, node.alt ?? '', writer);
      return;
    case 'imageReference': {
      const url = context.definitions.get(node.identifier)?.url;
      if (url === undefined) {
        writer.text(proseMrkdwn(sourceOf(node, context)));
        return;
      }
      image(url, node.alt ?? '', writer);
      return;
    }
    case 'html':
      writer.text(/^<br\s*\/?>$/i.test(node.value) ? '\n' : proseMrkdwn(node.value));
      return;
    case 'footnoteReference':
      writer.text(proseMrkdwn(`[^${node.label ?? node.identifier}]`));
      return;
    default:
      writer.text(proseMrkdwn(sourceOf(node, context)));
      return;
  }
}

/** A label that is formatted as a whole is formatted from outside: Slack reads no marks within a label. */
function link(
  url: string,
  children: readonly PhrasingContent[],
  writer: MarkedWriter,
  context: Context,
  depth: number,
): void {
  const [only] = children;
  if (children.length === 1 && only !== undefined && depth < DEEPEST) {
    const inner = (each: { children: PhrasingContent[] }) => () =>
      link(url, each.children, writer, context, depth + 1);
    if (only.type === 'strong') {
      writer.within('*', inner(only));
      return;
    }
    if (only.type === 'emphasis') {
      writer.within('_', inner(only));
      return;
    }
    if (only.type === 'delete') {
      writer.within('~', inner(only));
      return;
    }
  }
  const label = plain(children, context, depth);
  const linked = linkMrkdwn(url, label);
  if (linked !== null) {
    writer.atom(linked, false);
    return;
  }
  writer.text(proseMrkdwn(labelled(label, url)));
}

function image(url: string, alt: string, writer: MarkedWriter): void {
  const linked = linkMrkdwn(url, alt.trim() === '' ? 'image' : alt);
  if (linked === null) writer.text(proseMrkdwn(labelled(alt, url)));
  else writer.atom(linked, false);
}

function labelled(label: string, url: string): string {
  if (url === '' || url === label) return label;
  return label === '' ? url : `${label} (${url})`;
}

/** The text alone, on one line, as a cell or a label has it. */
export function plain(nodes: readonly PhrasingContent[], context: Context, depth: number): string {
  return nodes
    .map((node) => plainNode(node, context, depth))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function plainNode(node: PhrasingContent, context: Context, depth: number): string {
  if (depth >= DEEPEST) return sourceOf(node, context);
  switch (node.type) {
    case 'text':
    case 'inlineCode':
      return node.value;
    case 'html':
      return /^<br\s*\/?>$/i.test(node.value) ? ' ' : node.value;
    case 'break':
      return ' ';
    case 'link':
      return labelled(plain(node.children, context, depth + 1), node.url);
    case 'image':
      return labelled(node.alt ?? '', node.url);
    case 'linkReference':
      return labelled(
        plain(node.children, context, depth + 1),
        context.definitions.get(node.identifier)?.url ?? '',
      );
    case 'imageReference':
      return labelled(node.alt ?? '', context.definitions.get(node.identifier)?.url ?? '');
    case 'footnoteReference':
      return `[^${node.label ?? node.identifier}]`;
    default:
      return node.children.map((child) => plainNode(child, context, depth + 1)).join('');
  }
}

export function sourceOf(node: Nodes, context: Context): string {
  const { start, end } = node.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return '';
  return context.source.slice(start.offset, end.offset);
}
