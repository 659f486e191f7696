import { Output, Tag, type Template, TypeGuards } from 'liquidjs';
import {
  type Form,
  type Part,
  type Piece,
  type Recipe,
  type TemplateField,
  type Text,
  variableNames,
} from './compiled.ts';
import { compiledLiquid } from './liquid.ts';
import { liquidPieces } from './mask.ts';
import type { Origin } from './origin.ts';
import { templateError } from './template-error.ts';
import { CLICK_TAG, linkOf, PIXEL_TAG } from './tracking-tags.ts';

/** Collects the holes of all parts of one mail; equal ones are one. */
export class Holes {
  readonly recipes: Record<string, Recipe> = {};
  readonly #names = new Map<string, string>();

  add(recipe: Recipe): Piece {
    // Liquid may count or keep what it did before, so no two pieces of it are the same.
    const key =
      recipe.kind === 'liquid'
        ? `${this.#names.size}`
        : JSON.stringify({ ...recipe, part: null, field: null, at: null });
    const known = this.#names.get(key);
    if (known !== undefined) return { hole: known };
    const name = `h${this.#names.size}`;
    this.#names.set(key, name);
    this.recipes[name] = recipe;
    return { hole: name };
  }
}

interface SplitOptions {
  readonly part: Part;
  readonly form: Form;
  readonly field: TemplateField;
  /** Tells where something was written. */
  readonly origin: Origin;
  readonly holes: Holes;
}

/**
 * Takes Liquid apart: what is the same in every mail, variables by themselves, and the rest, block by block.
 *
 * @throws TemplateError
 */
export function split(source: string, { part, form, field, origin, holes }: SplitOptions): Text {
  const nodes = parse(source, field);
  const shadowed = assignedNames(source);
  const pieces: Piece[] = [];
  const tell = origin.reader();
  for (const [index, node] of nodes.entries()) {
    const { begin, end } = node.token;
    if (TypeGuards.isHTMLToken(node.token)) {
      pieces.push(node.token.getContent());
      continue;
    }
    const at = tell(source.slice(begin, end));
    const written = { part, form, field, at };
    const block = source.slice(begin, nodes[index + 1]?.token.begin ?? source.length);
    if (node instanceof Tag && node.name === CLICK_TAG) {
      pieces.push(holes.add({ kind: 'click', link: linkOf(node.token) }));
    } else if (node instanceof Tag && node.name === PIXEL_TAG) {
      pieces.push(holes.add({ kind: 'pixel' }));
    } else if (node instanceof Tag && node.name === 'raw') {
      pieces.push(String(compiledLiquid.renderSync([node])));
    } else if (!(node instanceof Tag && COMMENTS.has(node.name))) {
      const simple = node instanceof Output ? simpleValue(node, shadowed) : null;
      pieces.push(
        holes.add(
          simple === null
            ? { kind: 'liquid', ...written, source: block }
            : { kind: 'value', ...written, ...simple },
        ),
      );
    }
  }
  return joined(pieces);
}

const COMMENTS = new Set(['comment', '#']);

function parse(source: string, field: TemplateField): Template[] {
  try {
    return compiledLiquid.parse(source);
  } catch (error) {
    throw templateError(error, field);
  }
}

/** Words that Liquid reads as more than a name of a property. */
const CALCULATED = new Set(['size', 'first', 'last']);

/** The path and fallback of an output that names one of our variables and does no more to it than `default`. */
function simpleValue(
  { value }: Output,
  shadowed: ReadonlySet<string>,
): { path: string[]; fallback: string | null } | null {
  const [token, ...further] = value.initial.postfix;
  if (token === undefined || further.length > 0 || !TypeGuards.isPropertyAccessToken(token)) return null;
  if (token.variable !== undefined) return null;
  const path: string[] = [];
  for (const property of token.props) {
    // A name in quotes may have escapes in it; Liquid reads those.
    if (!TypeGuards.isWordToken(property)) return null;
    if (path.length > 0 && CALCULATED.has(property.content)) return null;
    path.push(property.content);
  }
  const [root] = path;
  if (root === undefined || !variableNames.has(root) || shadowed.has(root)) return null;
  const [filter, ...others] = value.filters;
  if (filter === undefined) return { path, fallback: null };
  if (others.length > 0 || filter.name !== 'default' || filter.args.length !== 1) return null;
  const [argument] = filter.args;
  if (argument === undefined || Array.isArray(argument) || !TypeGuards.isQuotedToken(argument)) return null;
  return { path, fallback: argument.content };
}

/** Names that a template gives values of its own. */
function assignedNames(source: string): ReadonlySet<string> {
  const names = liquidPieces(source).flatMap(({ text, tag }) => {
    if (tag === 'liquid') return [...variableNames];
    const match = /^\{%-?\s*(?:assign|capture|increment|decrement)\s+["']?([\w-]+)/.exec(text);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return new Set(names);
}

function joined(pieces: readonly Piece[]): Text {
  const text: Piece[] = [];
  for (const piece of pieces) {
    const last = text.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') text[text.length - 1] = last + piece;
    else if (piece !== '') text.push(piece);
  }
  return text;
}
