import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';

/** The findings a strict reader of tool schemas has: lists of types, bare booleans, schemas that say nothing. */
function findings(schema: unknown, path = '$', keyword = ''): string[] {
  if (typeof schema === 'boolean') return keyword === 'additionalProperties' ? [] : [`${path}: bare boolean`];
  if (typeof schema !== 'object' || schema === null) return [];
  const found: string[] = [];
  const entries = Object.entries(schema as Record<string, unknown>);
  if (Array.isArray((schema as { type?: unknown }).type)) found.push(`${path}: list of types`);
  const says = entries.some(([key]) => !['description', 'title', 'default', 'examples'].includes(key));
  if (!says && path !== '$') found.push(`${path}: says nothing`);
  for (const [key, value] of entries) {
    if (['properties', 'patternProperties', '$defs'].includes(key)) {
      for (const [name, part] of Object.entries(value as object))
        found.push(...findings(part, `${path}.${name}`));
    } else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key)) {
      (value as unknown[]).forEach((part, index) => {
        found.push(...findings(part, `${path}.${key}[${index}]`));
      });
    } else if (['items', 'additionalProperties', 'propertyNames', 'not'].includes(key)) {
      found.push(...findings(value, `${path}.${key}`, key));
    }
  }
  return found;
}

describe('inputJsonSchema', () => {
  test('publishes what callers need and nothing generated', () => {
    const schema = z.strictObject({
      limit: z.int().min(1).max(100).default(20).describe('How many.'),
      any_integer: z.int(),
      email: z.email(),
      id: z.uuid(),
      at: z.iso.datetime({ offset: true }),
      day: z.iso.date(),
      link: z.url().optional(),
      slug: z.string().regex(/^[a-z]+$/),
      either: z.email().regex(/@example\./),
    });
    expect(inputJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many.' },
        any_integer: { type: 'integer' },
        email: { type: 'string', format: 'email' },
        id: { type: 'string', format: 'uuid' },
        at: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        link: { type: 'string', format: 'uri' },
        slug: { type: 'string', pattern: '^[a-z]+$' },
        either: {
          type: 'string',
          allOf: [{ pattern: expect.any(String) }, { pattern: '@example\\.' }],
        },
      },
      required: ['any_integer', 'email', 'id', 'at', 'day', 'slug', 'either'],
      additionalProperties: false,
    });
  });

  test('keeps a pattern that is the only word on its format', () => {
    expect(inputJsonSchema(z.ulid())).toMatchObject({ format: 'ulid', pattern: expect.any(String) });
    expect(inputJsonSchema(z.string().regex(/^2026/).meta({ format: 'date-time' }))).toEqual({
      type: 'string',
      format: 'date-time',
      pattern: '^2026',
    });
  });

  test('says null, several types and anything in anyOf', () => {
    const schema = z.strictObject({
      name: z.string().nullable().describe('May be null.'),
      bounded: z.string().max(5).nullable(),
      several: z.union([z.string(), z.int(), z.null()]),
      anything: z.unknown(),
      list: z.array(z.unknown()),
      either: z.union([z.strictObject({ a: z.unknown() }), z.array(z.string().nullable())]),
    });
    const { properties } = inputJsonSchema(schema) as { properties: Record<string, unknown> };
    const anything = ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type }));
    expect(properties.name).toEqual({
      description: 'May be null.',
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
    expect(properties.bounded).toEqual({ anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] });
    expect(properties.several).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
    });
    expect(properties.anything).toEqual({ anyOf: anything });
    expect(properties.list).toEqual({ type: 'array', items: { anyOf: anything } });
    expect(findings(inputJsonSchema(schema))).toEqual([]);
  });

  test('says open objects and records with true', () => {
    expect(inputJsonSchema(z.record(z.string(), z.unknown()))).toEqual({
      type: 'object',
      additionalProperties: true,
    });
    expect(inputJsonSchema(z.looseObject({ a: z.string() }))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: true,
    });
    expect(inputJsonSchema(z.record(z.string().max(3), z.int()))).toEqual({
      type: 'object',
      propertyNames: { type: 'string', maxLength: 3 },
      additionalProperties: { type: 'integer' },
    });
  });

  test('does not take properties for keywords', () => {
    const schema = z.strictObject({
      type: z.string().nullable(),
      pattern: z.string(),
      properties: z.strictObject({ minimum: z.int() }),
    });
    expect(inputJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        type: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        pattern: { type: 'string' },
        properties: {
          type: 'object',
          properties: { minimum: { type: 'integer' } },
          required: ['minimum'],
          additionalProperties: false,
        },
      },
      required: ['type', 'pattern', 'properties'],
      additionalProperties: false,
    });
  });

  test('keeps a type list of an author who also constrains', () => {
    const schema = z.strictObject({
      odd: z.unknown().meta({ type: ['string', 'null'], anyOf: [{ const: 'a' }, { const: null }] }),
    });
    expect(inputJsonSchema(schema)).toMatchObject({
      properties: {
        odd: {
          anyOf: [{ const: 'a' }, { const: null }],
          allOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
        },
      },
    });
  });

  test('publishes schemas that hold themselves', () => {
    interface Condition {
      all?: Condition[] | undefined;
      field: string | null;
    }
    const condition: z.ZodType<Condition> = z.lazy(() =>
      z.strictObject({ all: z.array(condition).optional(), field: z.string().nullable() }),
    );
    const published = inputJsonSchema(z.strictObject({ condition }));
    expect(JSON.stringify(published)).toContain('"$ref":"#/$defs/');
    expect(findings(published)).toEqual([]);
  });

  test('refuses what JSON Schema has no words for', () => {
    expect(() => inputJsonSchema(z.strictObject({ at: z.date() }))).toThrow('Date');
  });
});

describe('outputJsonSchema', () => {
  test('is open for plain objects, at any depth, and closed for strict ones', () => {
    const schema = z.object({
      inner: z.object({ a: z.int() }),
      closed: z.strictObject({ b: z.int() }),
      list: z.array(z.object({ c: z.string().nullable() })),
    });
    const published = outputJsonSchema(schema);
    expect(published).not.toHaveProperty('additionalProperties');
    expect(published).toMatchObject({
      properties: {
        inner: { type: 'object', required: ['a'] },
        closed: { additionalProperties: false },
        list: { items: { type: 'object' } },
      },
    });
    expect(JSON.stringify(published).match(/additionalProperties/g)).toHaveLength(1);
    expect(findings(published)).toEqual([]);
  });

  test('describes what comes out, so defaults are always there', () => {
    const schema = z.strictObject({ limit: z.int().default(5) });
    expect(outputJsonSchema(schema)).toMatchObject({ required: ['limit'] });
    expect(inputJsonSchema(schema)).not.toHaveProperty('required');
  });
});
