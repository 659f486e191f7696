import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { inputJsonSchema } from './json-schema.ts';
import { isStrictObject } from './strict.ts';

const strict = z.strictObject({ name: z.string() });
const schemas: Readonly<Record<string, z.ZodType>> = {
  'a strict object': strict,
  'a strict object without fields': z.strictObject({}),
  'one that is grown': strict.extend({ more: z.string() }),
  'one that is checked': strict.refine(({ name }) => name !== ''),
  'one that is turned into something else': strict.transform(({ name }) => name),
  'one with a default': strict.default({ name: 'x' }),
  'one that may be left out': strict.optional(),
  'an open object': z.object({ name: z.string() }),
  'an object of anything': z.looseObject({ name: z.string() }),
  'an object of more texts': z.object({ name: z.string() }).catchall(z.string()),
  'one that may be null': strict.nullable(),
  'a choice of strict objects': z.union([strict, z.strictObject({ id: z.string() })]),
  'a map': z.record(z.string(), z.string()),
  'a text': z.string(),
};

describe('whether a schema is a strict object', () => {
  test.each(Object.entries(schemas))('%s: as its JSON Schema says', (_name, schema) => {
    const json = inputJsonSchema(schema);
    expect(isStrictObject(schema)).toBe(json.type === 'object' && json.additionalProperties === false);
  });

  test('some are and some are not', () => {
    const answers = Object.values(schemas).map(isStrictObject);
    expect(answers.filter((answer) => answer)).toHaveLength(7);
  });
});
