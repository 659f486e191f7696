import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { coerceQuery } from './query.ts';
import { checkInput } from './violations.ts';

const schema = z.strictObject({
  limit: z.int().min(1).max(100).default(20),
  ratio: z.number().optional(),
  wait: z.boolean().optional(),
  source: z.enum(['local', 'discord']).optional(),
  since: z.string().nullable().optional(),
  ids: z.array(z.int()).optional(),
  tags: z.array(z.string()).readonly().optional(),
  level: z.literal([1, 2, 'max']).optional(),
  either: z.union([z.int(), z.boolean()]).optional(),
  open: z.union([z.string(), z.int()]).optional(),
  piped: z.preprocess((value) => value, z.int()).optional(),
  shifted: z
    .int()
    .transform((value) => value + 1)
    .optional(),
});

describe('coerceQuery', () => {
  test.each([
    [{ limit: '5' }, { limit: 5 }],
    [{ limit: '-3' }, { limit: -3 }],
    [{ ratio: '0.25' }, { ratio: 0.25 }],
    [{ ratio: '1e3' }, { ratio: 1_000 }],
    [{ wait: 'true' }, { wait: true }],
    [{ wait: 'false' }, { wait: false }],
    [{ source: 'local' }, { source: 'local' }],
    [{ since: '5' }, { since: '5' }],
    [{ since: 'null' }, { since: 'null' }],
    [{ ids: '1' }, { ids: [1] }],
    [{ ids: ['1', '2'] }, { ids: [1, 2] }],
    [{ tags: '1' }, { tags: ['1'] }],
    [{ level: '2' }, { level: 2 }],
    [{ level: 'max' }, { level: 'max' }],
    [{ either: '7' }, { either: 7 }],
    [{ either: 'true' }, { either: true }],
    [{ open: '7' }, { open: '7' }],
    [{ piped: '7' }, { piped: 7 }],
    [{ shifted: '7' }, { shifted: 7 }],
  ])('reads %j as %j', (query, input) => {
    expect(coerceQuery(schema, query)).toEqual(input);
    if (!('limit' in query) || query.limit !== '-3') {
      expect(schema.safeParse(coerceQuery(schema, query)).success).toBe(true);
    }
  });

  test.each([
    '',
    ' 5',
    '5 ',
    '+5',
    '05',
    '0x10',
    '5_000',
    '1e999',
    'NaN',
    'Infinity',
    '٥',
    '5,0',
    '--5',
    '.5',
    '5.',
  ])('leaves %j to be refused where a number is wanted', (text) => {
    expect(coerceQuery(schema, { ratio: text })).toEqual({ ratio: text });
    expect(checkInput(schema, coerceQuery(schema, { ratio: text }))).toMatchObject({
      ok: false,
      violations: [{ field: 'ratio', code: 'invalid_type' }],
    });
  });

  test.each(['', '1', '0', 'True', 'yes', 'on'])(
    'leaves %j to be refused where true or false is wanted',
    (text) => {
      expect(coerceQuery(schema, { wait: text })).toEqual({ wait: text });
    },
  );

  test('leaves a value that came twice, and unknown names, to be refused', () => {
    const query = { limit: ['1', '2'], bogus: 'x', constructor: 'y' };
    expect(coerceQuery(schema, query)).toEqual(query);
    expect(checkInput(schema, coerceQuery(schema, query))).toMatchObject({
      ok: false,
      violations: [
        { field: 'limit', code: 'invalid_type' },
        { field: 'bogus', code: 'unknown_field' },
        { field: 'constructor', code: 'unknown_field' },
      ],
    });
  });

  test('takes __proto__ as a name like any other', () => {
    const query: Record<string, string> = JSON.parse('{"__proto__": "x", "limit": "2"}');
    const input = coerceQuery(schema, query);
    expect(Object.keys(input)).toEqual(['__proto__', 'limit']);
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });

  test('drops what is undefined', () => {
    expect(coerceQuery(schema, { limit: undefined })).toEqual({});
  });

  test('reads every number as JSON wrote it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        expect(coerceQuery(schema, { ratio: text })).toEqual({ ratio: JSON.parse(text) });
      }),
    );
  });
});
