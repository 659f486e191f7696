import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesSchema, mergeAttributes } from './attributes.ts';

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }),
);
const name = fc.oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.nat({ max: 120 }).map(String));
const attributes = fc
  .dictionary(name, value, { maxKeys: 8 })
  .filter((given) => !Object.hasOwn(given, 'gone'));

test('what somebody begins with is stored in the form that what is changed has', () => {
  fc.assert(
    fc.property(attributes, (given) => {
      const changed = mergeAttributes('{"gone":1}', { ...given, gone: null });
      expect(mergeAttributes('{}', given)).toBe(changed);
    }),
    { numRuns: 1_000 },
  );
});

test('equal attributes are equal texts, and null takes a key away', () => {
  expect(mergeAttributes('{}', { b: 'x', a: 1, c: null })).toBe('{"a":1,"b":"x"}');
  expect(mergeAttributes('{"a":1,"b":"x"}', { b: null, 10: true, 9: false })).toBe(
    '{"9":false,"10":true,"a":1}',
  );
  expect(mergeAttributes('{}', { a: 1, 10: true, 9: false })).toBe('{"9":false,"10":true,"a":1}');
});

test('a number that is too large to be one is refused, wherever it stands', () => {
  for (const json of ['{"n":1e400}', '{"n":[1,{"m":-1e400}]}']) {
    const { success, error } = attributesSchema.safeParse(JSON.parse(json));
    expect(success).toBe(false);
    expect(error?.issues).toMatchObject([{ params: { code: 'out_of_range' } }]);
  }
  expect(attributesSchema.safeParse({ n: Number.MAX_VALUE }).success).toBe(true);
});

test('more than a subscriber may have is refused', () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`key ${at}`, at]));
  const more = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`other ${at}`, at]));
  const stored = mergeAttributes('{}', many);
  expect(stored).not.toBeNull();
  expect(mergeAttributes(stored ?? '', more)).toBeNull();
});
