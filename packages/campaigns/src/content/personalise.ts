import type { Context, Liquid, Template } from 'liquidjs';
import { BoundedContext } from './bounded-context.ts';
import type { CompiledContent, Form, Part, Recipe, Recipient, Text, Tracking } from './compiled.ts';
import { liquidOf } from './liquid.ts';
import { escapeHtml, oneLine, stringify } from './markup.ts';
import { TemplateError, templateError } from './template-error.ts';
import { clickAddress, setTracking, type TrackingState } from './tracking-tags.ts';

/** Values for the holes of a content, by their names; the mail package fills them in. */
export type HoleValues = Readonly<Record<string, string>>;

/**
 * What one person's copy has for itself. The first call for a content prepares it; keep the content, and each
 * further one takes microseconds.
 *
 * @throws TemplateError when a variable is missing in a strict content, or a template takes more than it may.
 */
export function personalise(content: CompiledContent, recipient: Recipient): HoleValues {
  let prepared = preparedContents.get(content);
  if (prepared === undefined) {
    prepared = prepare(content);
    preparedContents.set(content, prepared);
  }
  const rendering = new Rendering(content, recipient);
  const values: Record<string, string> = {};
  for (const [name, make] of prepared) values[name] = make(rendering);
  return values;
}

/** One person's copy as texts; for previews, and pages on the web. */
export function renderContent(
  content: CompiledContent,
  recipient: Recipient,
): { subject: string; html: string | null; text: string | null } {
  const values = personalise(content, recipient);
  const fill = (text: Text | null) =>
    text?.map((piece) => (typeof piece === 'string' ? piece : (values[piece.hole] ?? ''))).join('') ?? null;
  return {
    subject: (fill(content.subject) ?? '').trim(),
    html: fill(content.html),
    text: fill(content.text),
  };
}

type Maker = (rendering: Rendering) => string;

const preparedContents = new WeakMap<CompiledContent, readonly (readonly [string, Maker])[]>();

/** One copy in the making: Liquid of one part goes on where its last piece ended. */
class Rendering implements TrackingState {
  readonly variables: Recipient['variables'];
  readonly tracking: Tracking | null;
  readonly links: readonly string[];
  readonly strict: boolean;
  readonly #contexts: Partial<Record<Part, Context>> = {};

  constructor({ links, strict }: CompiledContent, { variables, tracking }: Recipient) {
    this.variables = variables;
    this.tracking = tracking;
    this.links = links;
    this.strict = strict;
  }

  context(part: Part, liquid: Liquid): Context {
    const known = this.#contexts[part];
    if (known !== undefined) return known;
    const { strict, variables } = this;
    // `increment` writes into what it is given.
    const context = new BoundedContext(
      { ...variables },
      liquid.options,
      { sync: true, strictVariables: strict },
      { liquid },
    );
    setTracking(context, this);
    this.#contexts[part] = context;
    return context;
  }
}

function prepare({ holes }: CompiledContent): [string, Maker][] {
  return Object.entries(holes).map(([name, recipe]) => [name, makerOf(recipe)]);
}

function makerOf(recipe: Recipe): Maker {
  switch (recipe.kind) {
    case 'value':
      return valueMaker(recipe);
    case 'liquid':
      return liquidMaker(recipe);
    case 'click':
      return (rendering) => escapeHtml(clickAddress(rendering, recipe.link));
    case 'pixel':
      return ({ tracking }) => escapeHtml(tracking?.pixel ?? '');
  }
}

const WRITERS: Readonly<Record<Form, (value: unknown) => string>> = {
  html: escapeHtml,
  text: stringify,
  line: (value) => oneLine(stringify(value)),
};

function valueMaker({ path, fallback, form, field, at }: Extract<Recipe, { kind: 'value' }>): Maker {
  const write = WRITERS[form];
  return ({ variables, strict }) => {
    let value: unknown = variables;
    for (const name of path) value = property(value, name);
    if (value === undefined && strict && fallback === null) {
      throw new TemplateError(field, `${path.join('.')} has no value`, at);
    }
    return write(fallback !== null && isBlank(value) ? fallback : value);
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** What the filter `default` steps in for. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false;
}

function liquidMaker({ part, form, source, field, at }: Extract<Recipe, { kind: 'liquid' }>): Maker {
  const liquid = liquidOf(form);
  let templates: Template[] | undefined;
  return (rendering) => {
    try {
      templates ??= liquid.parse(source);
      const text = stringify(liquid.renderSync(templates, rendering.context(part, liquid)));
      return form === 'line' ? oneLine(text) : text;
    } catch (error) {
      throw templateError(error, field, at);
    }
  };
}
