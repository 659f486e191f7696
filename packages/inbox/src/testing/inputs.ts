import type { JsonSchema } from '@postern/kit';
import fc from 'fast-check';

/** Inputs from and around a JSON Schema: mostly what it allows, now and then what it nearly does. */

/** What no field of the inbox wants, or only some. */
const oddities = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e',
    '../..',
    '%00',
    -1,
    0,
    0.5,
    -0,
    2 ** 53,
    -(2 ** 53),
    1e308,
    [],
    {},
    [[]],
    '9'.repeat(400),
    'x'.repeat(5_000),
    JSON.parse('{"__proto__":{"a":1}}'),
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Texts that mean something in the world a test has made, such as ids that exist, by the field they fit. */
export type Known = Readonly<Record<string, readonly string[]>>;

export function inputFor(schema: JsonSchema, known: Known): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema.required ?? []) as string[]);
  const fields = properties.map(([name, field]) =>
    fc
      .record({
        // A required field is left out now and then, another one is there every other time.
        isThere: required.has(name) ? fc.nat(19).map((dice) => dice > 0) : fc.boolean(),
        value: around(name, field, known),
      })
      .map(({ isThere, value }): [string, unknown][] => (isThere ? [[name, value]] : [])),
  );
  const extra = fc
    .tuple(
      fc.nat(14),
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'extra', ''), fc.string()),
      oddities,
    )
    .map(([dice, name, value]): [string, unknown][] => (dice === 0 ? [[name, value]] : []));
  return fc
    .tuple(fc.tuple(...fields), extra)
    .map(([entries, more]) => Object.fromEntries([...entries.flat(), ...more]));
}

function around(name: string, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: within(name, schema, known) }, { weight: 1, arbitrary: oddities });
}

function within(name: string, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  if (Array.isArray(schema.anyOf))
    return fc.oneof(...(schema.anyOf as JsonSchema[]).map((option) => within(name, option, known)));
  switch (schema.type) {
    case 'string':
      return text(schema, known[name] ?? []);
    case 'integer': {
      const [least, most] = [Number(schema.minimum ?? -1), Math.min(Number(schema.maximum ?? 1e15), 1e15)];
      return fc.oneof(
        fc.integer({ min: least, max: most }),
        fc.constantFrom(least, most, least - 1, most + 1),
      );
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(around(name, (schema.items ?? {}) as JsonSchema, known), { maxLength: 4 });
    case 'object':
      return inputFor(schema, known);
    default:
      return oddities;
  }
}

function text(schema: JsonSchema, fitting: readonly string[]): fc.Arbitrary<unknown> {
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern) : null;
  const free =
    pattern === null ? fc.string({ maxLength: 60 }) : fc.stringMatching(pattern, { maxLength: 60 });
  const lengths = [schema.minLength, schema.maxLength]
    .filter((length): length is number => typeof length === 'number' && length < 10_000)
    .flatMap((length) => [length - 1, length, length + 1].filter((one) => one >= 0))
    .map((length) => 'y'.repeat(length));
  return fc.oneof(
    { weight: fitting.length > 0 ? 6 : 0, arbitrary: fc.constantFrom(...fitting, '') },
    { weight: 2, arbitrary: free },
    { weight: lengths.length > 0 ? 1 : 0, arbitrary: fc.constantFrom(...lengths, '') },
  );
}
