import { type Template, TypeGuards, toValueSync, Value } from 'liquidjs';
import { variableNames } from './compiled.ts';
import { writtenLiquid } from './liquid.ts';

/**
 * What a template asks for, read without rendering it. LiquidJS has an analysis of its own, which finds the place of
 * every variable by counting from the start, and so takes minutes where this takes milliseconds.
 */

/** A variable by its names, as far as they are known: `['subscriber', 'attributes', 'city']`. */
type Path = readonly string[];

/** Names of the variables a template uses and does not give itself. @param source Liquid that parses. */
export function namesIn(source: string): ReadonlySet<string> {
  return new Set(pathsIn(source).flatMap(([root]) => root ?? []));
}

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  subscriber: new Set(['email', 'name', 'attributes']),
  campaign: new Set(['name']),
  list: new Set(['name']),
  project: new Set(['name', 'sender_address']),
};

/** Variables that no mail has; those of attributes can't be told. @param source Liquid that parses. */
export function unknownNames(source: string): string[] {
  const unknown = new Set<string>();
  for (const [root, property] of pathsIn(source)) {
    if (root === undefined) continue;
    if (!variableNames.has(root)) unknown.add(root);
    else if (property !== undefined && FIELDS[root]?.has(property) === false)
      unknown.add(`${root}.${property}`);
  }
  return [...unknown];
}

function pathsIn(source: string): Path[] {
  const found: Path[] = [];
  visit(writtenLiquid.parse(source), new Set(), new Set(), found);
  return found;
}

/**
 * @param given names that assignments before have given.
 * @param block names of the blocks around, such as those of loops.
 */
function visit(
  templates: readonly Template[],
  given: Set<string>,
  block: ReadonlySet<string>,
  found: Path[],
): void {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) {
      for (const path of pathsOf(argument)) {
        const [root = ''] = path;
        if (!given.has(root) && !block.has(root)) found.push(path);
      }
    }
    for (const name of template.localScope?.() ?? []) given.add(name.content);
    if (!template.children) continue;
    const inner = template.blockScope ? new Set([...block, ...template.blockScope()]) : block;
    visit(toValueSync(template.children(false, true)) as Template[], given, inner, found);
  }
}

function* pathsOf(argument: unknown): Iterable<Path> {
  if (argument instanceof Value || TypeGuards.isFilteredValueToken(argument)) {
    for (const token of argument.initial.postfix) yield* pathsOf(token);
    for (const { args } of argument.filters) {
      for (const value of args) yield* pathsOf(Array.isArray(value) ? value[1] : value);
    }
  } else if (TypeGuards.isRangeToken(argument)) {
    yield* pathsOf(argument.lhs);
    yield* pathsOf(argument.rhs);
  } else if (TypeGuards.isPropertyAccessToken(argument)) {
    yield* pathsOf(argument.variable);
    const path: string[] = [];
    for (const property of argument.props) {
      if (TypeGuards.isWordToken(property) || TypeGuards.isQuotedToken(property)) path.push(property.content);
      else yield* pathsOf(property);
    }
    if (argument.variable === undefined) yield path;
  }
}
