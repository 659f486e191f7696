import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import {
  answer,
  describeOperation,
  fieldPlace,
  isAnswer,
  type Operation,
  operationsOf,
  pathParameters,
} from './operation.ts';

interface Context {
  readonly greeting: string;
}
const operation = operationsOf<Context, 'reader' | 'writer', 'not_found'>();

const described = {
  call: 'Call it to greet someone.',
  needs: 'Needs a name.',
  returns: 'Returns the greeting.',
  rights: 'reader',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ person_id: z.string(), loud: z.boolean().default(false) }),
  output: z.strictObject({ text: z.string() }),
  errors: ['not_found'],
} as const;

const greet = operation({
  ...described,
  name: 'greet_person',
  http: { method: 'GET', path: '/people/:person_id/greeting' },
  restOnly: z.strictObject({ wait: z.int().optional() }),
  async handle({ person_id, loud, wait }, { greeting }) {
    expectTypeOf(wait).toEqualTypeOf<number | undefined>();
    return { text: `${greeting} ${loud ? person_id.toUpperCase() : person_id} ${wait ?? 0}` };
  },
});

function record(changes: object) {
  return { ...greet, ...changes } as unknown as Parameters<typeof operation>[0];
}

describe('operationsOf', () => {
  test('keeps the record, and makes it no tool unless it says so', async () => {
    expect(greet.tool).toBe(false);
    expect(operation({ ...greet, tool: true }).tool).toBe(true);
    expect(await greet.handle({ person_id: 'ann', loud: true, wait: 3 }, { greeting: 'Hi' })).toEqual({
      text: 'Hi ANN 3',
    });
    expect(describeOperation(greet)).toBe('Call it to greet someone. Needs a name. Returns the greeting.');
  });

  test('types the handler by the schemas', () => {
    const plain = operation({
      ...described,
      name: 'greet_plainly',
      http: { method: 'GET', path: '/people/:person_id' },
      // @ts-expect-error a field that neither schema has
      async handle({ wait }) {
        return { text: String(wait) };
      },
    });
    // Operations of one service fit in one list, whatever their schemas.
    const all: readonly Operation<Context, 'reader' | 'writer'>[] = [greet, plain];
    expect(all).toHaveLength(2);
  });

  test.each([
    ['a name that is not snake_case', { name: 'GreetPerson' }, 'snake_case'],
    ['a name that is too long', { name: 'a'.repeat(65) }, 'at most 64'],
    ['no "Call it"', { call: 'Use it.' }, 'call must start with "Call it "'],
    ['no full stop', { needs: 'Needs nothing' }, 'needs must start with "Needs " and end with a full stop'],
    ['no "Returns"', { returns: 'Gives it.' }, 'returns must start'],
    ['a path of unknown fields', { http: { method: 'GET', path: '/:constructor' } }, "path's constructor"],
    ['a query of unknown fields', { http: { ...greet.http, query: ['wait'] } }, "query's wait"],
    [
      'a field twice',
      { restOnly: z.strictObject({ loud: z.boolean() }) },
      'loud is in input and in restOnly',
    ],
    [
      "a tool's input without a field",
      { toolInput: z.strictObject({ confirm: z.boolean() }) },
      'toolInput lacks',
    ],
  ])('refuses %s', (_what, changes, message) => {
    expect(() => operation(record(changes))).toThrow(message);
  });
});

describe('fieldPlace', () => {
  test.each([
    ['GET', 'person_id', 'path'],
    ['GET', 'loud', 'query'],
    ['DELETE', 'loud', 'query'],
    ['POST', 'person_id', 'path'],
    ['POST', 'loud', 'body'],
    ['PATCH', 'loud', 'body'],
    ['PUT', 'wait', 'query'],
    ['PUT', 'constructor', 'body'],
  ] as const)('%s: %s travels in the %s', (method, field, place) => {
    expect(fieldPlace({ ...greet, http: { ...greet.http, method } }, field)).toBe(place);
  });

  test('puts named fields into the query', () => {
    const http = { method: 'POST', path: '/people/:person_id', query: ['loud'] } as const;
    expect(fieldPlace({ http }, 'loud')).toBe('query');
    expect(fieldPlace({ http }, 'quiet')).toBe('body');
  });
});

test('pathParameters are named in their order', () => {
  expect(pathParameters('/a/:first/b/:second_id/c')).toEqual(['first', 'second_id']);
  expect(pathParameters('/a')).toEqual([]);
});

describe('answer', () => {
  test('is told from outputs that look like one', () => {
    expect(isAnswer(answer({ a: 1 }))).toBe(true);
    expect(isAnswer({ body: { a: 1 }, headers: {} })).toBe(false);
    expect([null, undefined, 'text', 1].map(isAnswer)).toEqual([false, false, false, false]);
  });

  test('carries headers and a status of its own', () => {
    expect(answer({ a: 1 }, { etag: 'x' }, 200)).toMatchObject({
      body: { a: 1 },
      headers: { etag: 'x' },
      status: 200,
    });
    expect('status' in answer({ a: 1 })).toBe(false);
  });
});
