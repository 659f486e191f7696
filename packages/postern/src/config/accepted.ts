import * as z from 'zod';

/** What is put into words when a value is refused; see {@link acceptedAt}. */
type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Wrappers that say nothing about which values are accepted. */
const WRAPPERS = new Set(['optional', 'default', 'prefault', 'nullable', 'readonly', 'catch', 'nonoptional']);

/**
 * The values a schema accepts at a path, in words that fit after "accepted:": a leaf's own description where
 * it has one, else what its JSON Schema says.
 */
export function acceptedAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const leaf = schemaAt(schema, path);
  if (leaf === null) return 'nothing here';
  return leaf.description ?? inWords(z.toJSONSchema(leaf, { io: 'input', unrepresentable: 'any' }));
}

/**
 * Names of the keys of the object at a path; empty when there is none.
 *
 * @param value What stands there: of several shapes it may have, those count that its words fit.
 */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const found = schemaAt(schema, path);
  const shapes: readonly unknown[] = found instanceof z.ZodUnion ? fitting(found.options, value) : [found];
  const keys = shapes.flatMap((shape) => (shape instanceof z.ZodObject ? Object.keys(shape.shape) : []));
  return [...new Set(keys)];
}

/** The shapes that a value is of, by the words that tell them apart; all of them when it is of none. */
function fitting(shapes: readonly unknown[], value: unknown): readonly unknown[] {
  const given = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}));
  const fit = shapes.filter(
    (shape) =>
      shape instanceof z.ZodObject &&
      Object.entries(shape.shape).every(
        ([key, field]) => !(field instanceof z.ZodLiteral) || field.values.has(given.get(key)),
      ),
  );
  return fit.length === 0 ? shapes : fit;
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | null {
  let current: z.ZodType | null = unwrap(schema);
  for (const step of path) {
    if (current instanceof z.ZodUnion) current = joined(current, String(step));
    if (current instanceof z.ZodObject)
      current = (current.shape as Record<string, z.ZodType>)[String(step)] ?? null;
    else if (current instanceof z.ZodArray) current = current.element as z.ZodType;
    else return null;
    if (current === null) return null;
    current = unwrap(current);
  }
  return current;
}

/** Of several shapes, the first that has the key speaks for all; the word that tells them apart is any of theirs. */
function joined({ options }: z.ZodUnion, key: string): z.ZodObject | null {
  const shapes = (options as readonly z.ZodType[])
    .map(unwrap)
    .filter((shape) => shape instanceof z.ZodObject);
  const fields = shapes.flatMap((shape) => (shape.shape as Record<string, z.ZodType>)[key] ?? []);
  const words = fields.flatMap((field) =>
    field instanceof z.ZodLiteral ? [...field.values].map(String) : [],
  );
  const [first] = fields;
  if (first === undefined) return null;
  return z.object({ [key]: words.length === fields.length ? z.enum(words) : first });
}

/** Takes wrappers off, keeping the first description met on the way in. */
function unwrap(schema: z.ZodType): z.ZodType {
  let current = schema;
  while (current.description === undefined) {
    const definition = current._zod.def as { type: string; innerType?: z.ZodType; in?: z.ZodType };
    if (WRAPPERS.has(definition.type) && definition.innerType !== undefined) current = definition.innerType;
    else if (definition.type === 'pipe' && definition.in !== undefined) current = definition.in;
    else return current;
  }
  return current;
}

function inWords(schema: JsonSchema): string {
  if (schema.enum !== undefined) return listInWords(schema.enum.map(String));
  switch (schema.type) {
    case 'integer':
      return `a whole number${rangeInWords(schema)}`;
    case 'number':
      return `a number${rangeInWords(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${lengthInWords(schema.minItems, schema.maxItems, 'entries')}`;
    case 'object':
      return `a mapping with the keys ${listInWords(Object.keys(schema.properties ?? {}), 'and')}`;
    case 'string':
      if (schema.format === 'uri') return 'an http:// or https:// address';
      return `a text${lengthInWords(schema.minLength, schema.maxLength, 'characters')}`;
    default:
      return 'another value';
  }
}

function rangeInWords(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum } = schema;
  const from =
    exclusiveMinimum !== undefined
      ? ` above ${exclusiveMinimum}`
      : minimum !== undefined
        ? ` from ${minimum}`
        : '';
  const to =
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
      ? ''
      : exclusiveMinimum !== undefined
        ? ` up to ${maximum}`
        : ` to ${maximum}`;
  return `${from}${to}`;
}

function lengthInWords(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${unit}`;
  if (least !== undefined) return ` of at least ${least} ${unit}`;
  return most === undefined ? '' : ` of at most ${most} ${unit}`;
}

/** `a, b or c` */
export function listInWords(names: readonly string[], word = 'or'): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
