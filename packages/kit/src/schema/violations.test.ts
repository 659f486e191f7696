import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { FieldViolation } from '../errors.ts';
import { describeFound, mustBe } from './explain.ts';
import {
  checkInput,
  isFormViolation,
  parseOptions,
  summariseViolations,
  violationsOf,
} from './violations.ts';

/** The violations of one value under the name `field`, as `code: message`. */
function refusals(schema: z.ZodType, value: unknown): string[] {
  const checked = checkInput(z.strictObject({ field: schema }), { field: value });
  return checked.ok
    ? []
    : checked.violations.map(({ field, code, message }) => `${field} ${code}: ${message}`);
}

describe('checkInput', () => {
  test('gives the parsed value', () => {
    const schema = z.strictObject({ limit: z.int().default(20) });
    expect(checkInput(schema, {})).toEqual({ ok: true, value: { limit: 20 } });
  });

  test('gives all violations at once, in the order of the schema', () => {
    const schema = z.strictObject({
      name: z.string().min(1),
      limit: z.int().max(100),
      deep: z.strictObject({ list: z.array(z.strictObject({ url: z.url() })) }),
    });
    const input = {
      name: '',
      limit: 500,
      deep: { list: [{ url: 'https://a.example' }, { url: 'x' }] },
      more: 1,
    };
    expect(checkInput(schema, input)).toEqual({
      ok: false,
      violations: [
        { field: 'name', code: 'too_short', message: 'must not be empty, found an empty string' },
        { field: 'limit', code: 'out_of_range', message: 'must be at most 100, found 500' },
        { field: 'deep.list.1.url', code: 'invalid_format', message: 'must be a URL, found "x"' },
        { field: 'more', code: 'unknown_field', message: 'is not a field here; there are name, limit, deep' },
      ],
    });
  });

  test.each([
    ['a string', z.string(), 5, 'invalid_type: must be a string, found 5'],
    ['no null', z.string(), null, 'invalid_type: must be a string, found null'],
    ['an integer', z.int(), 1.5, 'invalid_type: must be an integer, found 1.5'],
    ['an integer, not text', z.int(), '5', 'invalid_type: must be an integer, found "5"'],
    ['a number', z.number(), 'five', 'invalid_type: must be a number, found "five"'],
    ['a boolean', z.boolean(), 'true', 'invalid_type: must be true or false, found "true"'],
    ['an array', z.array(z.string()), {}, 'invalid_type: must be an array, found an object'],
    ['an object', z.strictObject({}), [1], 'invalid_type: must be an object, found an array of 1 item'],
    ['a record', z.record(z.string(), z.int()), 'x', 'invalid_type: must be an object, found "x"'],
    ['not too small', z.int().min(1), 0, 'out_of_range: must be at least 1, found 0'],
    ['more than', z.number().gt(0), 0, 'out_of_range: must be more than 0, found 0'],
    ['less than', z.number().lt(1), 1, 'out_of_range: must be less than 1, found 1'],
    [
      'a safe integer',
      z.int(),
      2 ** 60,
      'out_of_range: must be at most 9007199254740991, found 1152921504606847000',
    ],
    ['a multiple', z.int().multipleOf(5), 7, 'out_of_range: must be a multiple of 5, found 7'],
    ['not too short', z.string().min(3), 'ab', 'too_short: must have at least 3 characters, found "ab"'],
    ['not too long', z.string().max(2), 'a👍b', 'too_long: must have at most 2 characters, found "a👍b"'],
    ['exactly so long', z.string().length(3), 'ab', 'too_short: must have exactly 3 characters, found "ab"'],
    [
      'enough items',
      z.array(z.int()).min(2),
      [1],
      'too_short: must have at least 2 items, found an array of 1 item',
    ],
    [
      'few items',
      z.array(z.int()).max(1),
      [1, 2],
      'too_many: must have at most 1 item, found an array of 2 items',
    ],
    ['an e-mail address', z.email(), 'x', 'invalid_format: must be an e-mail address, found "x"'],
    ['a pattern', z.string().regex(/^a+$/), 'b', 'invalid_format: must match /^a+$/, found "b"'],
    ['a start', z.string().startsWith('msg_'), 'b', 'invalid_format: must start with "msg_", found "b"'],
    ['an end', z.string().endsWith('.'), 'b', 'invalid_format: must end with ".", found "b"'],
    ['a part', z.string().includes('@'), 'b', 'invalid_format: must contain "@", found "b"'],
    ['a rare format', z.ulid(), 'b', 'invalid_format: must be of the format ulid, found "b"'],
    ['a choice', z.enum(['dm', 'group']), 'x', 'not_allowed: must be one of "dm", "group", found "x"'],
    ['a choice of texts', z.enum(['dm', 'group']), 1, 'invalid_type: must be one of "dm", "group", found 1'],
    ['a choice, no null', z.enum(['dm']), null, 'invalid_type: must be "dm", found null'],
    ['a literal', z.literal(true), false, 'not_allowed: must be true, found false'],
  ])('asks for %s', (_what, schema, value, refusal) => {
    expect(refusals(schema, value)).toEqual([`field ${refusal}`]);
  });

  test.each([
    z.string(),
    z.int(),
    z.boolean(),
    z.array(z.string()),
    z.enum(['a', 'b']),
    z.literal('a'),
    z.unknown(),
    z.union([z.string(), z.int()]),
    z.discriminatedUnion('type', [z.strictObject({ type: z.literal('a') })]),
    z.strictObject({ a: z.string() }),
    z.string().regex(/a/, 'must hold an a'),
  ])('says that a missing field is required', (schema) => {
    const wanted = [{ field: 'field', code: 'required', message: 'is required' }];
    expect(checkInput(z.strictObject({ field: schema }), {})).toEqual({ ok: false, violations: wanted });
  });

  test('names the input itself with an empty field', () => {
    expect(checkInput(z.strictObject({}), [])).toMatchObject({
      violations: [
        { field: '', code: 'invalid_type', message: 'must be an object, found an array of 0 items' },
      ],
    });
  });

  test('names each unknown field, and what there is', () => {
    expect(checkInput(z.strictObject({}), { a: 1, b: 2 })).toMatchObject({
      violations: [
        { field: 'a', code: 'unknown_field', message: 'is not a field here; there are none' },
        { field: 'b', code: 'unknown_field' },
      ],
    });
  });

  test("puts an author's words before its own", () => {
    const schema = z.string().regex(/^[a-z]+$/, { error: mustBe('small letters') });
    expect(refusals(schema, 'ABC')).toEqual(['field invalid_format: must be small letters, found "ABC"']);
    expect(refusals(schema, 1)).toEqual(['field invalid_type: must be a string, found 1']);
  });

  test('lets a refinement choose its code and its field', () => {
    const schema = z
      .strictObject({ url: z.string().optional(), path: z.string().optional() })
      .refine(({ url, path }) => (url === undefined) !== (path === undefined), {
        error: 'takes exactly one of url and path',
        path: ['url'],
        params: { code: 'not_allowed' },
      });
    expect(refusals(schema, {})).toEqual(['field.url not_allowed: takes exactly one of url and path']);
    const plain = z.string().refine(() => false);
    expect(refusals(plain, 'x')).toEqual(['field invalid_format: is not acceptable, found "x"']);
    const strange = z.string().refine(() => false, { params: { code: 'constructor' } });
    expect(refusals(strange, 'x')).toEqual(['field invalid_format: is not acceptable, found "x"']);
  });

  test('tells the key of a record that is not accepted', () => {
    expect(refusals(z.record(z.string().max(2), z.int()), { abc: 1 })).toEqual([
      'field.abc too_long: has a name that is not accepted, found "abc"',
    ]);
  });
});

describe('a union', () => {
  const union = z.union([
    z.strictObject({ all: z.array(z.int()) }),
    z.strictObject({ not: z.int() }),
    z.null(),
  ]);

  test('is refused for the alternative that fits best', () => {
    expect(refusals(union, { not: 'x' })).toEqual(['field.not invalid_type: must be an integer, found "x"']);
    expect(refusals(union, { all: [1, 'x'] })).toEqual([
      'field.all.1 invalid_type: must be an integer, found "x"',
    ]);
  });

  test('names the kinds it takes when the value is of none', () => {
    expect(refusals(union, 'x')).toEqual(['field invalid_type: must be an object or null, found "x"']);
    expect(refusals(z.union([z.string(), z.int()]), true)).toEqual([
      'field invalid_type: must be a string or an integer, found true',
    ]);
    expect(refusals(z.union([z.literal('max'), z.int()]), 'min')).toEqual([
      'field not_allowed: must be "max" or an integer, found "min"',
    ]);
  });

  test('with a discriminator is refused by it', () => {
    const events = z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('sent'), at: z.string() }),
      z.strictObject({ type: z.literal('lost') }),
    ]);
    expect(refusals(events, { type: 'x' })).toEqual([
      'field.type not_allowed: must be one of "sent", "lost", found "x"',
    ]);
    expect(refusals(events, {})).toEqual(['field.type required: is required']);
    expect(refusals(events, { type: null })).toEqual([
      'field.type invalid_type: must be one of "sent", "lost", found null',
    ]);
    expect(refusals(events, { type: 'sent' })).toEqual(['field.at required: is required']);
    expect(refusals(events, 'x')).toEqual(['field invalid_type: must be an object, found "x"']);
  });
});

describe('messages', () => {
  test('show short values and tell the size of long ones', () => {
    expect(describeFound('short')).toBe('"short"');
    expect(describeFound('')).toBe('an empty string');
    expect(describeFound('a'.repeat(41))).toBe('a string of 41 characters');
    expect(describeFound('line\nfeed')).toBe('a string of 9 characters');
    expect(describeFound('\u202eright')).toBe('a string of 6 characters');
    expect(describeFound('\ud800')).toBe('a string of 1 character');
    expect(describeFound(Number.NaN)).toBe('NaN');
    expect(describeFound(new Map())).toBe('an object');
    expect(describeFound(undefined)).toBe('nothing');
    expect(describeFound(5n)).toBe('a bigint');
  });

  test('show no value where it may be a secret', () => {
    const checked = checkInput(
      z.strictObject({ a: z.int(), b: z.string(), c: z.string() }),
      { a: 'hunter2', b: 5, c: true },
      { echo: false },
    );
    expect(checked).toMatchObject({
      violations: [
        { message: 'must be an integer, found a string of 7 characters' },
        { message: 'must be a string, found a number' },
        { message: 'must be a string, found a boolean' },
      ],
    });
  });

  test('stay short whatever came in', () => {
    const schema = z.strictObject({
      a: z.int(),
      b: z.enum(['x', 'y']),
      c: z.array(z.email()).max(3),
      d: z.record(z.string().max(3), z.int()),
    });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'x'.repeat(500)), fc.jsonValue()),
        (input) => {
          const checked = checkInput(schema, input);
          for (const { field, message } of checked.ok ? [] : checked.violations) {
            expect(field.length).toBeLessThanOrEqual(121);
            expect(message.length).toBeLessThan(200);
            expect(field.isWellFormed() && message.isWellFormed()).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('list no more choices and fields than anyone reads', () => {
    const values = Array.from({ length: 50 }, (_, index) => `v${index}`);
    expect(refusals(z.enum(values), 'x')[0]).toMatch(/"v19", …, found "x"$/);
    const shape = Object.fromEntries(values.map((name) => [name, z.string().optional()]));
    expect(checkInput(z.strictObject(shape), { x: 1 })).toMatchObject({
      violations: [{ message: expect.stringMatching(/v19, …$/) }],
    });
  });
});

describe('bounds', () => {
  test('nobody gets more than 100 violations', () => {
    const schema = z.strictObject({ records: z.array(z.strictObject({ email: z.string() })) });
    const checked = checkInput(schema, { records: Array.from({ length: 10_000 }, () => ({})) });
    expect(checked.ok ? [] : checked.violations).toHaveLength(100);
    const unknown = checkInput(
      z.strictObject({}),
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n, 1])),
    );
    expect(unknown.ok ? [] : unknown.violations).toHaveLength(100);
  });
});

describe('violationsOf', () => {
  test('reads the error of a parse made with parseOptions', () => {
    const result = z.strictObject({ a: z.enum(['x']) }).safeParse({}, parseOptions());
    expect(result.success ? [] : violationsOf(result.error)).toEqual([
      { field: 'a', code: 'required', message: 'is required' },
    ]);
  });
});

describe('isFormViolation', () => {
  test.each([
    [z.int(), 'x', true],
    [z.int(), null, true],
    [z.int(), undefined, true],
    [z.int(), 1.5, true],
    [z.enum(['a']), 1, true],
    [z.strictObject({}), { a: 1 }, true],
    [z.enum(['a']), 'b', false],
    [z.int().max(1), 2, false],
    [z.string().max(1), 'ab', false],
    [z.array(z.int()).max(1), [1, 2], false],
    [z.email(), 'b', false],
    [z.string().refine(() => false), 'b', false],
  ])('%#', (schema, value, form) => {
    const checked = checkInput(z.strictObject({ field: schema }), { field: value });
    expect(checked.ok ? [] : checked.violations.map(isFormViolation)).toEqual([form]);
  });
});

describe('summariseViolations', () => {
  const violation = (field: string): FieldViolation => ({ field, code: 'required', message: 'is required' });

  test('names each field and what is wrong with it', () => {
    expect(summariseViolations([violation('name'), violation('deep.1.url'), violation('')])).toBe(
      'name is required; deep.1.url is required; the input is required',
    );
  });

  test('counts what it leaves out', () => {
    const many = Array.from({ length: 12 }, (_, index) => violation(`f${index}`));
    expect(summariseViolations(many)).toMatch(/f9 is required; and 2 more$/);
  });
});
