import type * as z from 'zod';

/** Query strings know only text; the schema knows what was meant. */

/** A parsed query string: a name that came more than once has all its values, in order. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A number as JSON writes it; `0x10`, ` 1` and `1_000` stay text. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The query as a schema's input: text becomes a number or boolean, and a single value a list, where the schema
 * wants one. What doesn't fit is left as it came, unknown names too, so that the schema refuses it by name.
 */
export function coerceQuery(schema: z.ZodObject, query: Query): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    entries.push([name, field === undefined ? value : coerce(field, value)]);
  }
  // Defines own properties, so a parameter named __proto__ is one more unknown field.
  return Object.fromEntries(entries);
}

function coerce(schema: z.core.$ZodType, value: string | readonly string[]): unknown {
  const inner = unwrap(schema);
  if (inner._zod.def.type === 'array') {
    const { element } = inner._zod.def as z.core.$ZodArrayDef;
    const values = typeof value === 'string' ? [value] : value;
    return values.map((item) => coerceText(element, item));
  }
  return typeof value === 'string' ? coerceText(inner, value) : value;
}

function coerceText(schema: z.core.$ZodType, text: string): unknown {
  const { def } = unwrap(schema)._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'number':
      return numberOf(text) ?? text;
    case 'boolean':
      return booleanOf(text) ?? text;
    case 'literal':
      return def.values.find((value) => value !== undefined && String(value) === text) ?? text;
    case 'enum':
      return Object.values(def.entries).find((value) => String(value) === text) ?? text;
    case 'union': {
      const readings = def.options.map((option) => coerceText(option, text));
      const kinds = def.options.map((option) => unwrap(option)._zod.def.type);
      // Where text itself is accepted, no reading as something else is safe.
      return kinds.includes('string') ? text : (readings.find((reading) => reading !== text) ?? text);
    }
    default:
      return text;
  }
}

function numberOf(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function booleanOf(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** The schema that sees the caller's value first, without what only makes it optional or changes it afterwards. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return unwrap(def.innerType);
    case 'pipe':
      // A preprocessing step has no type of its own; the schema behind it has.
      return unwrap(def.in._zod.def.type === 'transform' ? def.out : def.in);
    case 'lazy':
      return unwrap(def.getter());
    default:
      return schema;
  }
}
