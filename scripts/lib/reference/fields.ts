import type { JsonSchema } from '../../../packages/kit/src/index.ts';

/** The fields of a JSON Schema as rows of a table, those inside of objects and lists too. */

export interface FieldRow {
  /** `from.email`, `records[].email`. */
  readonly path: string;
  readonly required: boolean;
  /** Type and limits, in Markdown. */
  readonly type: string;
  readonly meaning: string;
}

export function fieldRows(schema: JsonSchema): FieldRow[] {
  return rowsOf(schema, '', { definitions: definitionsOf(schema), open: new Set() });
}

interface Walk {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Definitions that are being told of; one that refers to itself is told once. */
  readonly open: ReadonlySet<string>;
}

function rowsOf(schema: JsonSchema, before: string, walk: Walk): FieldRow[] {
  const required = new Set((schema.required ?? []) as string[]);
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const path = before + name;
    const own: FieldRow = {
      path,
      required: required.has(name),
      type: typeInWords(field, walk.definitions),
      meaning: String(field.description ?? ''),
    };
    return [own, ...insideOf(field, path, walk)];
  });
}

function insideOf(field: JsonSchema, path: string, walk: Walk): FieldRow[] {
  const reference = referenceOf(field);
  if (reference !== null) {
    if (walk.open.has(reference)) return [];
    const open = new Set([...walk.open, reference]);
    return insideOf(walk.definitions[reference] ?? {}, path, { ...walk, open });
  }
  if (field.properties !== undefined) return rowsOf(field, `${path}.`, walk);
  if (isSchema(field.items)) return insideOf(field.items, `${path}[]`, walk);
  const variants = alternativesOf(field).filter((one) => one.type !== 'null');
  return variants.length === 1 ? insideOf(variants[0] ?? {}, path, walk) : [];
}

function typeInWords(schema: JsonSchema, definitions: Walk['definitions']): string {
  const reference = referenceOf(schema);
  if (reference !== null) {
    const target = definitions[reference];
    return target?.type === undefined ? reference : typeInWords(target, definitions);
  }
  if (Array.isArray(schema.enum)) return [...schema.enum.map(literal), ...defaultOf(schema)].join(', ');
  if (schema.const !== undefined) return literal(schema.const);
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) {
    return [...new Set(alternatives.map((one) => typeInWords(one, definitions)))].join(' or ');
  }
  const type = String(schema.type ?? 'any JSON');
  const items =
    type === 'array' && isSchema(schema.items) ? ` of ${typeInWords(schema.items, definitions)}` : '';
  return [type + items, ...limitsOf(schema)].join(', ');
}

function limitsOf(schema: JsonSchema): string[] {
  const range = (low: unknown, high: unknown, unit: string) => {
    if (low === undefined && high === undefined) return [];
    if (high === undefined) return [`at least ${low}${unit}`];
    if (low === undefined || low === 0) return [`at most ${high}${unit}`];
    return [`${low} to ${high}${unit}`];
  };
  return [
    ...range(schema.minimum, schema.maximum, ''),
    ...(schema.exclusiveMinimum === undefined ? [] : [`above ${schema.exclusiveMinimum}`]),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...(schema.format === undefined ? [] : [String(schema.format)]),
    ...defaultOf(schema),
  ];
}

function defaultOf(schema: JsonSchema): string[] {
  return schema.default === undefined ? [] : [`default ${literal(schema.default)}`];
}

const literal = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[];
}

function referenceOf(schema: JsonSchema): string | null {
  return typeof schema.$ref === 'string' ? schema.$ref.replace('#/$defs/', '') : null;
}

function definitionsOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.$defs ?? {}) as Record<string, JsonSchema>;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
