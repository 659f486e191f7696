import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSocket, sendRaw } from './raw.ts';
import { startService, type TestService, TOKEN } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ bodyLimit: 200_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

const auth = { authorization: `Bearer ${TOKEN}` };
const json = { ...auth, 'content-type': 'application/json' };

function call(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = json,
) {
  return fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
}

async function failure(method: string, path: string, body?: string, headers?: Record<string, string>) {
  const response = await call(method, path, body, headers);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

describe('errors found before an operation runs speak the dialect of the path', () => {
  test.each([
    ['unknown path', 'GET', '/api/nowhere', undefined, json, 404, 'not_found', 'LOST'],
    [
      'unknown path with a body of a strange type',
      'POST',
      '/api/nowhere',
      'x',
      { ...auth, 'content-type': 'text/csv' },
      404,
      'not_found',
      'LOST',
    ],
    ['wrong method', 'PATCH', '/api/things/a', undefined, json, 405, 'method_not_allowed', 'METHOD'],
    ['no credential', 'GET', '/api/things', undefined, {}, 401, 'unauthorized', 'WHO'],
    [
      'wrong credential',
      'GET',
      '/api/things',
      undefined,
      { authorization: 'Bearer nope' },
      401,
      'unauthorized',
      'WHO',
    ],
    [
      'no credential, and a body nobody should read',
      'POST',
      '/api/break',
      '{',
      { 'content-type': 'application/json' },
      401,
      'unauthorized',
      'WHO',
    ],
    ['malformed JSON', 'POST', '/api/break', '{"how":', json, 400, 'malformed_request', 'BAD'],
    ['nesting without end', 'POST', '/api/break', '['.repeat(100_000), json, 400, 'malformed_request', 'BAD'],
    [
      'valid but deep nesting',
      'POST',
      '/api/break',
      `{"how":${'['.repeat(70)}${']'.repeat(70)}}`,
      json,
      400,
      'malformed_request',
      'BAD',
    ],
    [
      'another content type',
      'POST',
      '/api/break',
      'how=throw',
      { ...auth, 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
      'TYPE',
    ],
    [
      'another charset',
      'POST',
      '/api/break',
      '{}',
      { ...auth, 'content-type': 'application/json; charset=utf-16' },
      415,
      'unsupported_media_type',
      'TYPE',
    ],
    [
      'a body over the limit',
      'POST',
      '/api/break',
      `{"how":"${'x'.repeat(300_000)}"}`,
      json,
      413,
      'body_too_large',
      'BIG',
    ],
    ['a bad escape in the path', 'GET', '/api/things/%zz', undefined, json, 400, 'malformed_request', 'BAD'],
    [
      'an id longer than any',
      'GET',
      `/api/things/${'a'.repeat(3_000)}`,
      undefined,
      json,
      404,
      'not_found',
      'LOST',
    ],
    ['an unexpected error', 'POST', '/api/break', '{"how":"throw"}', json, 500, 'internal_error', 'BROKEN'],
    [
      'an output that breaks its schema',
      'POST',
      '/api/break',
      '{"how":"output"}',
      json,
      500,
      'internal_error',
      'BROKEN',
    ],
  ] as const)('%s', async (_, method, path, body, headers, status, code, shortCode) => {
    const problem = await failure(method, path, body, headers);
    expect(problem).toMatchObject({
      status,
      type: 'application/problem+json; charset=utf-8',
      body: { status, code },
    });
    expect(problem.body.type).toBe(`https://postern.example/errors/${code}`);
    expect(problem.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);

    const short = await failure(method, path.replace('/api', '/short'), body, headers);
    expect(short).toMatchObject({
      status,
      type: 'application/json; charset=utf-8',
      body: { error: shortCode },
    });
  });

  test('invalid UTF-8 in a body is malformed', async () => {
    const response = await call('POST', '/api/break', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect(response.status).toBe(400);
  });

  test('a prefix covers whole segments only', async () => {
    const outside = await failure('GET', '/shortest');
    expect(outside.body).toMatchObject({ code: 'not_found' });
    const root = await failure('GET', '/short');
    expect(root.body).toMatchObject({ error: 'LOST' });
  });

  test('401 says how to authenticate, 405 what is allowed', async () => {
    expect((await call('GET', '/api/things', undefined, {})).headers.get('www-authenticate')).toBe(
      'Bearer realm="postern"',
    );
    const refused = await call('PUT', '/api/things/a%2Fb');
    expect(refused.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS');
    const options = await call('OPTIONS', '/api/things/a');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS']);
    expect((await call('OPTIONS', '/api/nowhere')).status).toBe(404);
  });

  test('a method nobody has heard of is answered in the dialect too', async () => {
    const answer = await sendRaw(
      service.url,
      'PROPFIND /api/things HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    expect(answer.status).toBe(405);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'method_not_allowed' });
  });

  test('an unexpected error tells the caller nothing but the id under which it is logged', async () => {
    const { body, headers } = await failure('POST', '/api/break', '{"how":"throw"}');
    expect(JSON.stringify(body)).not.toMatch(/hunter2|secret\.ts/);
    const id = headers.get('x-request-id');
    expect(body.detail).toContain(id);
    const line = service.log.lines.find(({ fields, level }) => level === 'error' && fields.requestId === id);
    expect(String((line!.fields.err as Error).message)).toContain('hunter2');
  });
});

describe('request ids', () => {
  test.each(['trace-0123456789', 'a1b2c3d4:5'])('a sane one is kept: %s', async (id) => {
    const response = await call('GET', '/api/things', undefined, { ...auth, 'x-request-id': id });
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  test.each(['short', 'has spaces in it', 'x'.repeat(200), 'quo"te-12345678', '{jndi:ldap://x}-12345'])(
    'a strange one is replaced: %s',
    async (id) => {
      const response = await call('GET', '/api/things', undefined, { ...auth, 'x-request-id': id });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('the Host header', () => {
  const ask = (host: string) =>
    sendRaw(
      service.url,
      `GET /api/things HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\n\r\n`,
    );

  test.each([
    'localhost',
    'LOCALHOST:9',
    '127.0.0.1:1234',
    '[::1]:80',
    'postern.example',
    'postern.example:8443',
  ])('%s is ours', async (host) => {
    expect((await ask(host)).status).toBe(200);
  });

  test.each([
    'evil.example',
    'postern.example.evil.example',
    'localhost.evil.example',
    'a@localhost',
    'localhost/x',
    'localhost#x',
    '127.0.0.1.nip.io',
    'x',
  ])('%s is refused, before anything else', async (host) => {
    const answer = await ask(host);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'forbidden' });
  });
});

describe('what is not HTTP', () => {
  test('garbage is answered 400 in the dialect', async () => {
    const answer = await sendRaw(service.url, 'NOT HTTP AT ALL\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'malformed_request' });
  });

  test('too large a header section is 431', async () => {
    const answer = await sendRaw(
      service.url,
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer.status).toBe(431);
  });

  test('an HTTP/1.1 request without Host is refused', async () => {
    const answer = await sendRaw(service.url, 'GET /api/things HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(answer.status).toBe(400);
  });

  test('two bodies in one (Content-Length and Transfer-Encoding) are refused', async () => {
    const answer = await sendRaw(
      service.url,
      'POST /api/break HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(answer.status).toBe(400);
  });

  test('behind good requests it is answered after them, and never in the place of their answers', async () => {
    const good = `GET /api/things HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
    const answer = await sendRaw(service.url, `${good}${good}NOT HTTP AT ALL\r\n\r\n`);
    expect([
      answer.status,
      ...answer.body.matchAll(/HTTP\/1\.1 (\d+)/g).map(([, status]) => Number(status)),
    ]).toEqual([200, 200, 400]);
  });

  test('within a body it is answered at once', async () => {
    const answer = await sendRaw(
      service.url,
      `POST /api/break HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nnot a length\r\n`,
    );
    expect(answer.status).toBe(400);
  });
});

describe('clients that take their time', () => {
  test('one that never finishes its headers, or its body, is cut off with 408', async () => {
    await using slow = await startService({
      requestTimeoutMs: 150,
      headersTimeoutMs: 100,
      timeoutCheckMs: 20,
    });
    const headers = await sendRaw(slow.url, 'GET /api/things HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    expect(headers.status).toBe(408);
    const body = await sendRaw(
      slow.url,
      `POST /api/break HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    expect(body.status).toBe(408);
  });

  test('one that stops reading a stream is cut off, and the stream is closed', async () => {
    await using slow = await startService({ idleTimeoutMs: 200 });
    const socket = openSocket(slow.url).pause();
    socket.on('error', () => {});
    socket.write(
      `GET /api/blobs/endless HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    await slow.seen.until('stream closed');
    socket.destroy();
  });

  test('one that says how large its body is, beyond the limit, is told so before it sends it', async () => {
    const answer = await sendRaw(
      service.url,
      `POST /api/break HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 999999999\r\n\r\n`,
    );
    expect(answer.status).toBe(413);
  });

  // More than the buffers between the two sides hold.
  const long = 'x'.repeat(16 * 1_048_576);
  test.each([
    ['of a known length', 413, `content-type: application/json\r\ncontent-length: ${long.length}`, long],
    [
      'in chunks',
      413,
      'content-type: application/json\r\ntransfer-encoding: chunked',
      `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`,
    ],
    ['of a strange type', 415, `content-type: text/csv\r\ncontent-length: ${long.length}`, long],
  ])(
    'one that sends all of a refused body %s before it looks is told so too',
    async (_, status, fields, body) => {
      const socket = openSocket(service.url).pause();
      const broken = new Promise<never>((_resolve, reject) => socket.once('error', reject));
      const head = `POST /api/break HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n${fields}\r\n\r\n`;
      const sent = new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
      await Promise.race([sent, broken]);
      const answer = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
      socket.resume();
      expect(await Promise.race([answer, broken])).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      socket.destroy();
    },
  );

  test('a chunked body over the limit is 413 too', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        `${service.url}/api/break`,
        { method: 'POST', headers: json },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      for (let sent = 0; sent < 4; sent += 1) request.write('x'.repeat(60_000));
      request.end();
    });
    expect(status).toBe(413);
  });
});

test('stopping wakes the calls that wait, which then answer', async () => {
  const service = await startService();
  const waiting = fetch(`${service.url}/api/break`, {
    method: 'POST',
    headers: json,
    body: '{"how":"wait"}',
  });
  await service.seen.until('waiting');
  await service.app.close();
  expect(await (await waiting).json()).toEqual({ done: true });
  expect(service.seen.events).toContain('closing');
});

test('stopping waits for no connection that carries no request', async () => {
  await using service = await startService({ headersTimeoutMs: 50_000, requestTimeoutMs: 60_000 });
  const unused = openSocket(service.url);
  await new Promise<void>((resolve) => service.app.server.once('connection', () => resolve()));
  const gone = new Promise<void>((resolve) => unused.once('close', () => resolve()));
  const waiting = openSocket(service.url);
  const body = '{"how":"wait"}';
  waiting.write(
    `POST /api/break HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await service.seen.until('waiting');
  unused.resume();
  waiting.resume();
  await service.app.close();
  await gone;
});
