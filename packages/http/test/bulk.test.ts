import type { AddressInfo } from 'node:net';
import { answer, JsonText, operationsOf } from '@postern/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { readBulk } from '../src/input.ts';
import { silentLog } from '../src/log.ts';
import { type ProblemCode, problem, problemDialect } from '../src/problem.ts';
import { mountOperations } from '../src/routes.ts';
import { createServer } from '../src/server.ts';
import { publicUrl } from './service.ts';

/** Bodies that are read elsewhere are answered as those that are read here. */

interface Context {
  readonly input: Readonly<Record<string, unknown>>;
}

const load = operationsOf<Context, 'any', ProblemCode>()({
  name: 'load_things',
  call: 'Call it to load things.',
  needs: 'Needs nothing.',
  returns: 'Returns what it was given.',
  http: { method: 'POST', path: '/shelves/:shelf/load', status: 201, query: ['mode'], bulk: 'things' },
  rights: 'any',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    shelf: z.string().max(10),
    mode: z.enum(['fast', 'slow']).default('fast'),
    note: z.string().optional(),
    things: z
      .array(z.strictObject({ name: z.string() }))
      .min(1)
      .transform((things) => new JsonText(JSON.stringify(things))),
  }),
  output: z.strictObject({ things: z.array(z.strictObject({ name: z.string() })) }),
  errors: [],
  handle: async ({ things, ...rest }, { input }) => {
    const { things: _, ...seen } = input;
    return answer(new JsonText(`{"things":${things.text}}`), {
      'x-input': encodeURIComponent(JSON.stringify(rest)),
      'x-seen': encodeURIComponent(JSON.stringify(seen)),
    });
  },
});

const dialect = problemDialect({ publicUrl });
const app = createServer({ log: silentLog, publicUrl, dialectFor: () => dialect });
/** How many bodies were read elsewhere. */
let elsewhere = 0;

for (const where of ['here', 'there'] as const) {
  mountOperations<Context, 'any', null>(app, [load], {
    prefix: `/${where}`,
    dialect,
    log: silentLog,
    authenticate: () => null,
    contextFor: ({ input }) => {
      if (input.note === 'forbidden') throw problem('forbidden', 'Not with that note.');
      return { input };
    },
    ...(where === 'here'
      ? {}
      : {
          readBulk: async (operation, sent) => {
            elsewhere += 1;
            // As on the way to a thread and back.
            return structuredClone(
              readBulk(operation, structuredClone({ ...sent, query: { ...sent.query } })),
            );
          },
        }),
  });
}

let url = '';
beforeAll(async () => {
  await app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

async function send(where: string, path: string, body: string | undefined, type = 'application/json') {
  const response = await fetch(`${url}/${where}${path}`, {
    method: 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': type }), 'x-request-id': 'one-request' },
    ...(body === undefined ? {} : { body }),
  });
  const { status, headers } = response;
  const [input, seen, kind] = ['x-input', 'x-seen', 'content-type'].map((name) => headers.get(name));
  return { status, input, seen, kind, body: JSON.parse(await response.text()) };
}

const things = [{ name: 'a' }, { name: 'ü' }];
const deep = `{"things":${'['.repeat(80)}${']'.repeat(80)}}`;

test.each([
  ['what is right', '/shelves/one/load?mode=slow', JSON.stringify({ things, note: 'x' }), 201],
  ['what is right, without the rest', '/shelves/one/load', JSON.stringify({ things }), 201],
  ['no body', '/shelves/one/load', undefined, 422],
  ['an empty body', '/shelves/one/load', '', 422],
  ['no JSON', '/shelves/one/load', '{"things":', 400],
  ['no object', '/shelves/one/load', '[1]', 422],
  ['too deep a body', '/shelves/one/load', deep, 400],
  ['a body without the field', '/shelves/one/load', '{}', 422],
  ['fields of the wrong type', '/shelves/one/load', '{"things":[{"name":1},{}],"note":5}', 422],
  [
    'fields that are unknown or in the wrong place',
    '/shelves/one/load?things=1',
    '{"mode":"slow","x":1}',
    422,
  ],
  ['a bad path and query', '/shelves/much-too-long/load?mode=odd', JSON.stringify({ things }), 422],
  ['a NUL in a text', '/shelves/one/load', '{"things":[{"name":"\\u0000"}]}', 422],
  ['a caller who may not', '/shelves/one/load', JSON.stringify({ things: 5, note: 'forbidden' }), 403],
])('%s', async (_, path, body, status) => {
  const before = elsewhere;
  const [here, there] = [await send('here', path, body), await send('there', path, body)];
  expect(there).toEqual(here);
  expect(there.status).toBe(status);
  expect(elsewhere - before).toBe(body === undefined ? 0 : 1);
  if (status === 201) expect(there.body).toEqual({ things });
});

test('another type or character set is refused unread', async () => {
  const before = elsewhere;
  for (const type of ['text/plain', 'application/json; charset=latin1']) {
    const [here, there] = [
      await send('here', '/shelves/one/load', '{}', type),
      await send('there', '/shelves/one/load', '{}', type),
    ];
    expect(there).toEqual(here);
    expect(there.status).toBe(415);
  }
  expect(elsewhere).toBe(before);
});
