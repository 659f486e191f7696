import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type Operation, operationsOf } from '@postern/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { silentLog } from '../src/log.ts';
import { problemDialect } from '../src/problem.ts';
import { mountOperations } from '../src/routes.ts';
import { createServer } from '../src/server.ts';
import { publicUrl, startService, type TestService, TOKEN } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const auth = { authorization: `Bearer ${TOKEN}` };

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${service.url}/api${path}`, {
    method,
    headers: { ...auth, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

const fieldsOf = ({ body }: Answered) =>
  (body.errors as { field: string; code: string }[] | undefined)?.map(
    ({ field, code }) => `${field} ${code}`,
  );

describe('where input comes from', () => {
  test.each([
    ['discord:dm:1'],
    ['someone+tag@example.com'],
    ['iMessage;-;+15551234567'],
    ['iMessage;+;chat123 456'],
    ['with/slash'],
    ['100%'],
    ['ünï 😀'],
    ['a?b#c'],
    ['..'],
  ])('a path parameter arrives decoded: %s', async (id) => {
    const path = `/things/${encodeURIComponent(id).replaceAll('.', '%2E')}`;
    const status = await new Promise<[number | undefined, string]>((resolve, reject) => {
      // Not fetch, which resolves dot segments even when they are encoded.
      const request = httpRequest(
        `${service.url}/api/x`,
        { path: `/api${path}`, headers: auth },
        async (response) => {
          const chunks = await response.toArray();
          resolve([response.statusCode, Buffer.concat(chunks).toString()]);
        },
      );
      request.on('error', reject).end();
    });
    expect(status[0]).toBe(200);
    expect(JSON.parse(status[1])).toMatchObject({ id });
  });

  test('characters that may stand in a path unencoded do', async () => {
    for (const id of ['discord:dm:1', 'iMessage;-;+15551234567', 'someone@example.com']) {
      expect((await call('GET', `/things/${id}`)).body).toMatchObject({ id });
    }
  });

  test('a query is read as the schema means it, defaults filled in', async () => {
    const { body } = await call('GET', '/things?limit=5&deep=true&color=red&ids=a&wait=3&after=007');
    expect(body.asked).toEqual({ limit: 5, deep: true, color: 'red', ids: ['a'], wait: 3, after: '007' });
    expect((await call('GET', '/things?ids=a&ids=b')).body.asked).toEqual({ limit: 20, ids: ['a', 'b'] });
  });

  test('path, query and body fields make one input', async () => {
    const created = await call('POST', '/boxes/b1/things?dry=true', { name: 'n', size: 3 });
    expect([created.status, created.body]).toEqual([201, { id: 'b1:true', name: 'n', size: 3 }]);
  });

  test('header fields reach the context', async () => {
    expect((await call('GET', '/whoami', undefined, { 'x-agent-id': 'claude' })).body).toEqual({
      agent: 'claude',
      caller: 'user',
    });
  });
});

describe('every violation is answered, at once', () => {
  test.each<[string, string, string, unknown, string[]]>([
    ['an unknown query field', 'GET', '/things?colour=red', undefined, ['colour unknown_field']],
    ['a repeated query field', 'GET', '/things?limit=1&limit=2', undefined, ['limit invalid_type']],
    [
      'wrong types and ranges in a query',
      'GET',
      '/things?limit=ten&deep=yes&color=green&wait=61',
      undefined,
      ['limit invalid_type', 'color not_allowed', 'deep invalid_type', 'wait out_of_range'],
    ],
    [
      'a range, and an unknown field',
      'GET',
      '/things?limit=101&x=1',
      undefined,
      ['x unknown_field', 'limit out_of_range'],
    ],
    ['numbers that JSON does not write so', 'GET', '/things?limit=0x10', undefined, ['limit invalid_type']],
    ['an empty body', 'POST', '/boxes/b/things', '', ['name required']],
    ['no body at all', 'POST', '/boxes/b/things', undefined, ['name required']],
    ['an array for a body', 'POST', '/boxes/b/things', [1], ['body invalid_type', 'name required']],
    ['null for a body', 'POST', '/boxes/b/things', 'null', ['body invalid_type', 'name required']],
    ['a string for a body', 'POST', '/boxes/b/things', '"x"', ['body invalid_type', 'name required']],
    ['unknown body fields', 'POST', '/boxes/b/things', { name: 'a', nmae: 'b' }, ['nmae unknown_field']],
    ['a path field in the body', 'POST', '/boxes/b/things', { name: 'a', box: 'c' }, ['box unknown_field']],
    ['a query field in the body', 'POST', '/boxes/b/things', { name: 'a', dry: true }, ['dry unknown_field']],
    ['a body field in the query', 'POST', '/boxes/b/things?size=2', { name: 'a' }, ['size unknown_field']],
    ['a REST-only field misplaced', 'GET', '/things/a?wait=3', undefined, ['wait unknown_field']],
    ['a body where none belongs', 'DELETE', '/things/a', { force: true }, ['force unknown_field']],
    [
      'null where it is not allowed',
      'POST',
      '/boxes/b/things',
      { name: 'a', size: null },
      ['size invalid_type'],
    ],
    [
      'nested fields',
      'POST',
      '/boxes/b/things',
      { name: '', parts: [{ url: 1 }, { uri: 'x' }] },
      ['name too_short', 'parts.0.url invalid_type', 'parts.1.url required', 'parts.1.uri unknown_field'],
    ],
    [
      '__proto__ in a body',
      'POST',
      '/boxes/b/things',
      '{"name":"a","__proto__":{"size":9}}',
      ['__proto__ unknown_field'],
    ],
    [
      '__proto__ deeper',
      'POST',
      '/boxes/b/things',
      '{"name":"a","parts":[{"url":"u","__proto__":{}}]}',
      ['parts.0.__proto__ unknown_field'],
    ],
    [
      'constructor in a body',
      'POST',
      '/boxes/b/things',
      '{"name":"a","constructor":{"prototype":{}}}',
      ['constructor unknown_field'],
    ],
    [
      '__proto__ in a query',
      'GET',
      '/things?__proto__=1&toString=2',
      undefined,
      ['__proto__ unknown_field', 'toString unknown_field'],
    ],
    ['NUL in a body', 'POST', '/boxes/b/things', { name: 'a\0b' }, ['name invalid_format']],
    [
      'NUL deep in a free-form value',
      'POST',
      '/boxes/b/things',
      { name: 'a', tags: { k: [{ v: '\0' }] } },
      ['tags.k.0.v invalid_format'],
    ],
    [
      'NUL in a free-form name',
      'POST',
      '/boxes/b/things',
      { name: 'a', tags: { 'k\0': 1 } },
      ['tags invalid_format'],
    ],
    ['NUL in a path', 'GET', '/things/a%00b', undefined, ['thing_id invalid_format']],
    ['NUL in a query', 'GET', '/things?after=%00', undefined, ['after invalid_format']],
    ['a lone surrogate', 'POST', '/boxes/b/things', '{"name":"a\\ud800"}', ['name invalid_format']],
  ])('%s', async (_, method, path, body, expected) => {
    const answered = await call(method, path, body);
    expect(answered.status).toBe(path === '/things/a' && method === 'DELETE' ? 403 : 422);
    if (answered.status === 403) return;
    expect(answered.body.code).toBe('validation_failed');
    expect(fieldsOf(answered)).toEqual(expected);
    for (const field of expected.slice(0, 10)) expect(answered.body.detail).toContain(field.split(' ')[0]);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('size');
  });

  test('a field in the wrong place is told where it belongs', async () => {
    const answer = await call('POST', '/boxes/b/things?size=2&colour=red', { name: 'a', dry: true });
    expect(answer.body).toMatchObject({
      errors: expect.arrayContaining([
        { field: 'size', code: 'unknown_field', message: 'belongs in the body, not in the query' },
        { field: 'colour', code: 'unknown_field', message: 'is not a field of the query' },
        { field: 'dry', code: 'unknown_field', message: 'belongs in the query, not in the body' },
      ]),
    });
  });

  test('faults the context finds with fields are answered together with those of the schema', async () => {
    expect(fieldsOf(await call('POST', '/boxes/b/things', { name: 'bad-context', size: 11 }))).toEqual([
      'size out_of_range',
      'box not_allowed',
    ]);
  });

  test('a missing right comes before a fault with fields', async () => {
    expect((await call('DELETE', '/things/a?x=1')).body.code).toBe('forbidden');
  });

  test('a body of very many unknown fields is answered in a bounded body', async () => {
    const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`${'f'.repeat(20)}${i}`, i]));
    const answered = await call('POST', '/boxes/b/things', { ...body, ['g'.repeat(10_000)]: 1 });
    expect(answered.status).toBe(422);
    expect(JSON.stringify(answered.body).length).toBeLessThan(50_000);
  });

  test('free-form values pass as they are', async () => {
    expect(
      (await call('POST', '/boxes/b/things', { name: '😀 \u202e', tags: { a: { b: [null, 1.5] } } })).status,
    ).toBe(201);
  });
});

describe('answers', () => {
  test('HEAD is GET without a body', async () => {
    const response = await fetch(`${service.url}/api/things/abc`, { method: 'HEAD', headers: auth });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10);
    const missing = await fetch(`${service.url}/api/things/missing`, { method: 'HEAD', headers: auth });
    expect(missing.status).toBe(404);
    const stranger = await fetch(`${service.url}/api/things/abc`, { method: 'HEAD' });
    expect(stranger.status).toBe(401);
  });

  test('HEAD of a stream closes it unread', async () => {
    const response = await fetch(`${service.url}/api/blobs/endless`, { method: 'HEAD', headers: auth });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/octet-stream',
    ]);
    await service.seen.until('stream closed');
    const bytes = await fetch(`${service.url}/api/blobs/sized`, { method: 'HEAD', headers: auth });
    expect([bytes.status, bytes.headers.get('content-length')]).toEqual([200, '12345']);
  });

  test('an answer may have its own status and header fields', async () => {
    const kept = await call('POST', '/boxes/b/things', { name: 'taken' });
    expect([kept.status, kept.headers.get('x-kept'), kept.body.id]).toEqual([200, 'yes', 'old']);
  });

  test('a failure may carry Retry-After and header fields', async () => {
    const refused = await call('POST', '/boxes/b/things', { name: 'refused' });
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-replayed')]).toEqual([
      409,
      '7',
      'true',
    ]);
    expect(refused.body.detail).toBe('Taken.');
    expect(JSON.stringify(refused.body)).not.toContain('inner');
    const line = service.log.lines.find(
      ({ fields }) => fields.requestId === refused.headers.get('x-request-id'),
    );
    expect(String(line?.fields.err)).toBe('Error: inner');
  });

  test('admit may set header fields, on failures too', async () => {
    expect((await call('GET', '/things/missing')).headers.get('ratelimit')).toBe('"default";r=5;t=1');
  });

  test('answers are not to be cached or sniffed', async () => {
    const { headers } = await call('GET', '/things');
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('204 has no body', async () => {
    await using open = await startService({
      mount: (app) =>
        mountOperations(app, [remove], {
          prefix: '/free',
          dialect: problemDialect({ publicUrl }),
          log: silentLog,
          authenticate: () => null,
          contextFor: () => ({}),
        }),
    });
    const response = await fetch(`${open.url}/free/things/x`, { method: 'DELETE' });
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
      204,
      '',
      null,
    ]);
  });
});

const operation = operationsOf<object, string, string>();
const remove = operation({
  name: 'remove_thing',
  call: 'Call it now.',
  needs: 'Needs nothing.',
  returns: 'Returns nothing.',
  http: { method: 'DELETE', path: '/things/:id', status: 204 },
  rights: 'any',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ id: z.string() }),
  output: z.unknown(),
  errors: [],
  handle: async () => null,
});

test('an operation that lets unknown fields through is refused when it is mounted', () => {
  const app = createServer({ log: silentLog, publicUrl, dialectFor: () => problemDialect({ publicUrl }) });
  const loose = { ...remove, input: z.object({ id: z.string() }) } as unknown as Operation<object>;
  expect(() =>
    mountOperations(app, [loose], {
      prefix: '',
      dialect: problemDialect({ publicUrl }),
      log: silentLog,
      authenticate: () => null,
      contextFor: () => ({}),
    }),
  ).toThrow('operation remove_thing: its input must be a strict object');
});

describe('bodies that are not JSON', () => {
  test('bytes come as they are, with status and header fields', async () => {
    const response = await fetch(`${service.url}/api/blobs/bytes`, { headers: auth });
    expect(response.status).toBe(206);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 1, 255]);
  });

  test('an empty one too', async () => {
    expect((await fetch(`${service.url}/api/blobs/empty`, { headers: auth })).status).toBe(304);
  });

  test('a stream that fails at once is an internal error without internals', async () => {
    const failed = await call('GET', '/blobs/failing');
    expect([failed.status, failed.body.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(failed.body)).not.toContain('sda1');
  });

  test('a client that goes away closes the stream', async () => {
    await using own = await startService();
    const request = httpRequest(`${own.url}/api/blobs/endless`, { headers: auth }).end();
    const [response] = await once(request, 'response');
    await once(response, 'data');
    request.destroy();
    await own.seen.until('stream closed');
  });
});

describe('calls that end early', () => {
  const wait = {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: '{"how":"wait"}',
  };

  test('a client that goes away aborts its call, and nothing is logged as an error', async () => {
    await using own = await startService();
    const away = new AbortController();
    const answer = fetch(`${own.url}/api/break`, { ...wait, signal: away.signal }).catch(
      (error: Error) => error.name,
    );
    await own.seen.until('waiting');
    away.abort();
    expect(await answer).toBe('AbortError');
    await own.seen.until('aborted:AbortError');
    expect(own.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a call past its deadline is aborted and answered', async () => {
    await using own = await startService({ deadlineMs: 50 });
    const response = await fetch(`${own.url}/api/break`, wait);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: 'internal_error',
      detail: expect.stringContaining('took too long'),
    });
    await own.seen.until('aborted:TimeoutError');
  });
});
