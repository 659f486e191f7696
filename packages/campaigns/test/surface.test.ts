import { problemErrors } from '@postern/http';
import { describeEngines } from '@postern/store/testing';
import { describe, expect, test } from 'vitest';
import { allScopes } from '../src/context.ts';
import { campaignsOperations } from '../src/operations/index.ts';
import { campaignsBench, eras } from '../src/testing/index.ts';

/** What holds at the door of REST and MCP, before any operation does its work. */

async function start(
  options: Parameters<typeof campaignsBench>[1] = {},
  engine: 'sqlite' | 'postgres' = 'sqlite',
) {
  const bench = await campaignsBench(engine, options);
  const project = await bench.makeProject();
  const http = await bench.http();
  return { bench, http, project, key: await http.makeKey(project.project_id, allScopes) };
}

describe('validation', () => {
  const fields = (errors: { field: string; code: string }[]) =>
    errors.map(({ field, code }) => `${field} ${code}`);

  test('names every violation at once over REST, of form and of values, the missing project too', async () => {
    const { http } = await start();
    const { status, body } = await http.admin.rest('POST /lists', {
      name: '',
      description: 7,
      opt_in: 'triple',
      from: { name: 'x', email: 'nobody' },
      colour: 'red',
    });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(fields(body.errors).sort()).toEqual([
      'colour unknown_field',
      'description invalid_type',
      'from.email invalid_format',
      'name too_short',
      'opt_in not_allowed',
      'project_id required',
    ]);
    for (const { field } of body.errors) expect(body.detail).toContain(field);
  });

  test.each(eras)('names every violation of values at once in a tool, in the %s era', async (era) => {
    const { http } = await start();
    const args = { name: 'x'.repeat(201), opt_in: 'triple' };
    const { structured } = await http.admin.tool('create_list', args, era);
    expect(fields(structured.errors)).toEqual(['name too_long', 'opt_in not_allowed', 'project_id required']);
    for (const [bad, code] of [
      [{ limit: 101 }, 'limit out_of_range'],
      [{ limit: 0 }, 'limit out_of_range'],
      [{ cursor: 'nonsense' }, 'cursor invalid_format'],
    ] as const) {
      const page = await http.admin.tool('list_lists', bad, era);
      expect(fields(page.structured.errors)).toEqual([code, 'project_id required']);
    }
    const past = { name: '', scopes: ['lists:read'], expires_at: '2001-01-01T00:00:00Z' };
    const key = await http.admin.tool('create_api_key', past, era);
    expect(fields(key.structured.errors)).toEqual([
      'name too_short',
      'project_id required',
      'expires_at out_of_range',
    ]);
  });

  test.each(eras)('names the first violation of form alone in a tool, in the %s era', async (era) => {
    const { key } = await start();
    for (const [args, named] of [
      [{ name: 7, opt_in: 'triple' }, 'name'],
      [{ opt_in: 'triple' }, 'name'],
      [{ name: 'x', colour: 'red', opt_in: 'triple' }, 'colour'],
      [{ name: 'x', from: { email: null } }, 'from.email'],
      [null, 'arguments'],
      [[], 'arguments'],
    ] as const) {
      const { structured, text, isError } = await key.tool('create_list', args, era);
      expect(isError).toBe(true);
      expect(structured).toEqual({
        code: 'validation_failed',
        detail: expect.stringMatching(`^${named}\\b`),
      });
      expect(text).toBe(`validation_failed: ${structured.detail}`);
    }
  });

  test('counts characters, not code units, and refuses controls', async () => {
    const { key } = await start();
    expect((await key.rest('POST /lists', { name: '😀'.repeat(200) })).status).toBe(201);
    const long = await key.rest('POST /lists', { name: '😀'.repeat(201) });
    expect(fields(long.body.errors)).toEqual(['name too_long']);
    for (const name of ['a\nb', 'a\rb', 'a\u0000b', 'a\u0085b', 'a\u2028b', 'a\tb']) {
      const { status, body } = await key.rest('POST /lists', { name });
      expect({ name, status, field: body.errors[0].field }).toEqual({ name, status: 422, field: 'name' });
    }
  });

  test.each(eras)(
    'takes no arguments, an empty object, and nothing else where there are none, in the %s era',
    async (era) => {
      const { key } = await start();
      expect((await key.tool('get_server_info', undefined, era)).isError).toBe(false);
      expect((await key.tool('get_server_info', {}, era)).isError).toBe(false);
      expect((await key.tool('get_server_info', { a: 1 }, era)).isError).toBe(true);
    },
  );
});

describe('errors of HTTP', () => {
  test('are problem+json in full, each with its own page', async () => {
    const { http, key } = await start();
    const authorization = `Bearer ${key.secret}`;
    const send = (path: string, init: RequestInit) =>
      fetch(http.url + path, {
        ...init,
        headers: { authorization, ...(init.headers as Record<string, string>) },
      });
    const json = { 'content-type': 'application/json' };
    const cases = [
      [await send('/api/v1/nowhere', {}), 404, 'not_found'],
      [await send('/api/v1/lists', { method: 'PUT' }), 405, 'method_not_allowed'],
      [await send('/mcp', { method: 'GET' }), 405, 'method_not_allowed'],
      [await send('/api/v1/lists', { method: 'POST', headers: json, body: '{' }), 400, 'malformed_request'],
      [
        await send('/api/v1/lists', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' }),
        415,
        'unsupported_media_type',
      ],
      [await send('/api/v1/lists', { headers: { authorization: 'Basic eDp5' } }), 401, 'unauthorized'],
    ] as const;
    for (const [response, status, code] of cases) {
      const body = (await response.json()) as object;
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(body).toMatchObject({ type: `http://127.0.0.1:8080/errors/${code}`, status, code });
      expect(Object.keys(body).slice(0, 5)).toEqual(['type', 'title', 'status', 'detail', 'code']);
      expect(response.status).toBe(status);
      expect(problemErrors).toHaveProperty(code);
    }
    expect(cases[1][0].headers.get('allow')).toContain('POST');
  });

  test('at the MCP endpoint are the same bytes for a bad key and a body that is too large', async () => {
    const { http, key } = await start();
    const both = async (secret: string, body: string) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const answers = [];
      for (const path of ['/api/v1/lists', '/mcp']) {
        const response = await fetch(http.url + path, { method: 'POST', headers, body });
        answers.push({
          status: response.status,
          type: response.headers.get('content-type'),
          text: await response.text(),
        });
      }
      return answers;
    };
    for (const [answers, status] of [
      [await both('wrong', '{}'), 401],
      [await both(key.secret, `{"name": "${'x'.repeat(10 * 1024 * 1024)}"}`), 413],
    ] as const) {
      expect(answers[0]?.status).toBe(status);
      expect(answers[1]).toEqual(answers[0]);
    }
  });

  test('leave an unknown tool to JSON-RPC', async () => {
    const { key } = await start();
    for (const era of eras) {
      const { body } = await key.rpc('tools/call', { name: 'no_such_tool', arguments: {} }, era);
      expect(body.error.code).toBe(-32_602);
    }
  });
});

describeEngines('the rate limit', (engine) => {
  const two = { config: { rateLimit: { perMinute: 2 } } };

  test('is one for API and MCP, and fills again', async () => {
    const { bench, key, http } = await start(two, engine);
    const first = await key.rest('GET /lists');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=30');
    const second = await key.rpc('tools/call', { name: 'whoami', arguments: {} });
    expect({ status: second.status, limit: second.headers.get('ratelimit') }).toEqual({
      status: 200,
      limit: '"default";r=0;t=60',
    });
    const refused = await key.rest('GET /lists');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=30');
    for (const era of eras) {
      const tool = await key.rpc('tools/list', {}, era);
      expect({ status: tool.status, body: tool.body }).toEqual({ status: 429, body: refused.body });
      expect(tool.headers.get('retry-after')).toBe('30');
    }
    expect((await http.admin.rest('GET /whoami')).status).toBe(200);
    await bench.clock.advance(30_000);
    expect((await key.rest('GET /lists')).status).toBe(200);
    expect((await key.rest('GET /lists')).status).toBe(429);
  });

  test('counts every message of a batch', async () => {
    const { key, http } = await start({ config: { rateLimit: { perMinute: 5 } } }, engine);
    const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
    const response = await fetch(`${http.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key.secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify([message(1), message(2), message(3)]),
    });
    await response.text();
    expect(response.headers.get('ratelimit')).toBe('"default";r=2;t=36');
  });

  test("may be a key's own", async () => {
    const { http, project } = await start(two, engine);
    const key = await http.makeKey(project.project_id, [], { ratePerMinute: 1_000 });
    expect((await key.rest('GET /whoami')).body.rate_limit).toEqual({
      limit: 1_000,
      remaining: 999,
      reset_seconds: 1,
    });
  });
});

describe('the surface', () => {
  test('is described by an OpenAPI document whose operations are the tools', async () => {
    const { http } = await start();
    const { status, body } = await http.admin.rest('GET /openapi.json');
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.1.0');
    const described = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>)
      .flatMap((path) => Object.values(path))
      .map(({ operationId }) => operationId)
      .sort();
    expect(described).toEqual(campaignsOperations.map(({ name }) => name));
    const [tools] = [await http.admin.tools()];
    expect(tools.map(({ name }) => name).sort()).toEqual(described);
    const post = body.paths['/lists'].post;
    expect(post.parameters.map(({ name }: { name: string }) => name.toLowerCase())).toContain(
      'idempotency-key',
    );
  });

  test('speaks every protocol version it says it does', async () => {
    const { http, key } = await start();
    const info = await key.rest('GET /server');
    expect(info.body).toMatchObject({
      transport: 'capture',
      limits: { page_size: 100, import_records: 10_000 },
    });
    const [modern, ...legacy] = info.body.mcp_protocol_versions;
    const discovered = await key.rpc('server/discover', {});
    expect(discovered.body.result.supportedVersions).toContain(modern);
    for (const protocolVersion of legacy) {
      const response = await fetch(`${http.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key.secret}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
        }),
      });
      const [, data = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
      expect(JSON.parse(data).result.protocolVersion).toBe(protocolVersion);
    }
  });

  test('admits the error body in every output schema', async () => {
    const { http } = await start();
    for (const era of eras) {
      for (const tool of await http.admin.tools(era)) {
        expect(tool.outputSchema).toMatchObject({ type: 'object', anyOf: expect.any(Array) });
        expect(tool.outputSchema.anyOf.at(-1).required).toEqual(['code', 'detail']);
      }
    }
  });
});
