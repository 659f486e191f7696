import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesText, readAttributes } from './attributes.ts';

test('attributes that are written are read as the same', () => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
    fc.constantFrom('a:b', ' c', '"d"', 'e\nf'),
  );
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.constantFrom('007', 'true', '"x"', '[', '1.0', ' padded ', 'two\nlines'),
  );
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1, noNullPrototype: true }), (attributes) => {
      expect(readAttributes(attributesText(attributes))).toEqual({ value: attributes, fault: null });
    }),
  );
});

test('a line that is no attribute is told by its number', () => {
  expect(readAttributes('city: Lisbon\n\nnonsense').fault).toBe('Line 3 must be name: value.');
  expect(readAttributes(' \n').value).toBeNull();
});
