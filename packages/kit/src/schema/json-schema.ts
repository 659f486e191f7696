import * as z from 'zod';

/**
 * JSON Schema (2020-12) of zod schemas, as tools and OpenAPI publish it: the same meaning in fewer bytes, in
 * forms every client reads. What is left out here is still checked, since validation uses the zod schema.
 */

export type JsonSchema = Record<string, unknown>;

/**
 * What a caller may send. Fields with a default are optional here.
 *
 * @throws Error when the schema has a part JSON Schema has no words for (a Date, a bare transform).
 */
export function inputJsonSchema(schema: z.ZodType): JsonSchema {
  return published(schema, 'input');
}

/**
 * What comes back. Plain objects are open, so that a client with an older copy of the schema does not refuse an
 * answer that has grown a field; `z.strictObject` stays closed.
 *
 * @throws Error when the schema has a part JSON Schema has no words for.
 */
export function outputJsonSchema(schema: z.ZodType): JsonSchema {
  return published(schema, 'output');
}

function published(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const definition = zodSchema._zod.def;
      if (definition.type === 'object' && definition.catchall === undefined) {
        delete jsonSchema.additionalProperties;
      }
      if (definition.type === 'string' && STANDARD_FORMATS.has(jsonSchema.format ?? '')) {
        // A pattern that stands beside a format zod checks itself is that check, hundreds of characters of it.
        if ('format' in definition && definition.format !== 'regex') delete jsonSchema.pattern;
      }
    },
  });
  return portable(json);
}

/** Formats of the JSON Schema vocabulary, whose names say all that their generated patterns say. */
const STANDARD_FORMATS = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'time',
  'uri',
  'uuid',
]);

const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];
const LISTS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE_SCHEMAS = ['items', 'contains', 'propertyNames', 'if', 'then', 'else', 'additionalProperties'];

/** Keywords that tell about a value and refuse none. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$id',
  '$anchor',
  '$defs',
]);

const ANY_TYPE = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/**
 * The same schema without what some clients stumble over: lists of types and schemas that say nothing become
 * `anyOf`, an object open to anything says so with `true`, and bounds that only tell the reach of a double go.
 */
function portable(schema: JsonSchema): JsonSchema {
  const result: JsonSchema = { ...schema };
  for (const key of MAPS_OF_SCHEMAS) {
    if (!isObject(result[key])) continue;
    const entries = Object.entries(result[key]).map(([name, part]) => [name, subschema(part)] as const);
    result[key] = Object.fromEntries(entries);
  }
  for (const key of LISTS_OF_SCHEMAS) {
    if (Array.isArray(result[key])) result[key] = result[key].map(subschema);
  }
  for (const key of SINGLE_SCHEMAS) {
    if (!isObject(result[key])) continue;
    result[key] = key === 'additionalProperties' && saysNothing(result[key]) ? true : subschema(result[key]);
  }
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum;
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum;
  // Every name of a property is a string.
  if (isObject(result.propertyNames) && isBareString(result.propertyNames)) delete result.propertyNames;
  if (Array.isArray(result.type)) return withAlternatives(result, result.type);
  return result;
}

/** A schema inside another; at the root an empty one may stay. */
function subschema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const result = portable(schema);
  return saysNothing(result) ? withAlternatives(result, ANY_TYPE) : result;
}

function withAlternatives(schema: JsonSchema, types: readonly unknown[]): JsonSchema {
  const { type: _types, ...rest } = schema;
  const alternatives = types.map((type) => ({ type }));
  if (!('anyOf' in rest)) return { ...rest, anyOf: alternatives };
  const others = Array.isArray(rest.allOf) ? rest.allOf : [];
  return { ...rest, allOf: [...others, { anyOf: alternatives }] };
}

function saysNothing(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => ANNOTATIONS.has(key));
}

function isBareString(schema: JsonSchema): boolean {
  return schema.type === 'string' && Object.keys(schema).length === 1;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
