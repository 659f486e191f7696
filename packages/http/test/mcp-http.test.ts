import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountMcp } from '../src/mcp/http.ts';
import type { ToolListOptions } from '../src/mcp/tools.ts';
import { problemDialect } from '../src/problem.ts';
import {
  authenticate,
  contextFor,
  type MemoryLog,
  operations,
  publicUrl,
  type Seen,
  shortDialect,
  startService,
  type TestService,
  TOKEN,
} from './service.ts';

const dialect = problemDialect({ publicUrl });

function mount(app: FastifyInstance, seen: Seen, log: MemoryLog) {
  const common = {
    info: { name: 'test', version: '1.2.3' },
    instructions: 'Read things before you write them.',
    operations,
    hosts: { publicUrl },
    log,
    contextFor: contextFor(seen),
    bodyLimit: 200_000,
    deadlineMs: 2_000,
  };
  mountMcp(app, {
    ...common,
    path: '/mcp',
    dialect,
    toolViolations: 'first_of_form',
    authenticate: ({ headers }) => authenticate(headers.authorization, dialect),
    admit: (_, reply, __, messages) => void reply.header('ratelimit', `"default";r=${100 - messages};t=1`),
    sees: (caller, operation) => caller === 'admin' || !operation.rights.admin,
  });
  mountMcp(app, {
    ...common,
    path: '/mcp/short',
    dialect: shortDialect,
    httpDialect: dialect,
    outputSchema: 'none' satisfies ToolListOptions['outputSchema'],
    deadlineMs: 50,
    authenticate: ({ headers }) => authenticate(headers.authorization, shortDialect),
  });
}

let service: TestService;
beforeAll(async () => {
  service = await startService({ mount });
});
afterAll(() => service[Symbol.asyncDispose]());

const eras = [
  ['legacy', { mode: 'legacy' }],
  ['modern', { mode: { pin: '2026-07-28' } }],
] as const;
const auth = { authorization: `Bearer ${TOKEN}` };

async function connect(era: (typeof eras)[number][1], path = '/mcp', headers: Record<string, string> = auth) {
  const client = new Client({ name: 'tester', version: '0' }, { versionNegotiation: era });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(service.url + path), { requestInit: { headers } }),
  );
  return client;
}

describe.each(eras)('a %s client', (_, era) => {
  test('sees the tools, each described in three sentences with all four hints', async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'get_thing',
      'list_things',
      'create_thing',
      'break_thing',
      'who_am_i',
    ]);
    for (const tool of tools) {
      expect(tool.description).toMatch(/^Call it .+\. Needs .+\. Returns .+\.$/);
      expect(Object.keys(tool.annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.inputSchema).not.toHaveProperty('$schema');
      expect(tool.outputSchema).toMatchObject({
        type: 'object',
        anyOf: [{ type: 'object' }, { required: ['code', 'detail'] }],
      });
    }
    expect(tools[1]?.inputSchema.properties).not.toHaveProperty('wait');
    expect(client.getInstructions()).toBe('Read things before you write them.');
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getServerVersion()).toMatchObject({ name: 'test', version: '1.2.3' });
    await client.close();
  });

  test('gets a success as structured content and as text', async () => {
    const client = await connect(era);
    const result = await client.callTool({ name: 'get_thing', arguments: { thing_id: 'discord:dm:1' } });
    const body = { id: 'discord:dm:1', name: null, size: 12 };
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toEqual(body);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(body, null, 2) }]);
    await client.close();
  });

  test('gets failures as tool errors in the dialect, without losing them to the output schema', async () => {
    const client = await connect(era);
    await client.listTools();
    const result = await client.callTool({ name: 'get_thing', arguments: { thing_id: 'missing' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({ code: 'not_found', detail: 'No thing has that id.' });
    expect(result.content).toEqual([{ type: 'text', text: 'not_found: No thing has that id.' }]);
    await client.close();
  });

  test('gets violations of values all at once, and of form the first alone', async () => {
    const client = await connect(era);
    const values = await client.callTool({
      name: 'list_things',
      arguments: { limit: 500, ids: ['a', 'b', 'c', 'd'] },
    });
    expect(values.structuredContent).toMatchObject({
      code: 'validation_failed',
      errors: [
        { field: 'limit', code: 'out_of_range' },
        { field: 'ids', code: 'too_many' },
      ],
    });
    const form = await client.callTool({
      name: 'list_things',
      arguments: { limit: '5', deep: 1, nope: true },
    });
    expect(form.structuredContent).toEqual({
      code: 'validation_failed',
      detail: expect.stringContaining('limit must be'),
    });
    await client.close();
  });

  test('gets all violations where the service says so', async () => {
    const client = await connect(era, '/mcp/short');
    const { structuredContent } = await client.callTool({
      name: 'list_things',
      arguments: { limit: '5', deep: 1, nope: true },
    });
    expect((structuredContent as { fields: unknown[] }).fields).toHaveLength(3);
    const { tools } = await client.listTools();
    expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
    await client.close();
  });

  test('cannot use what REST alone has', async () => {
    const client = await connect(era);
    const wait = await client.callTool({ name: 'list_things', arguments: { wait: 1 } });
    expect(wait.structuredContent).toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining('wait'),
    });
    await expect(client.callTool({ name: 'read_blob', arguments: { kind: 'bytes' } })).rejects.toMatchObject({
      code: -32_602,
    });
    await client.close();
  });

  test('an unknown tool is a protocol error', async () => {
    const client = await connect(era);
    for (const name of ['nope', 'toString', '__proto__', 'n'.repeat(500)]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringMatching(new RegExp(`Unknown tool: ${name.slice(0, 64)}$`)),
      });
    }
    await client.close();
  });

  test('calling a tool one does not see is forbidden', async () => {
    const client = await connect(era);
    const result = await client.callTool({ name: 'delete_thing', arguments: { thing_id: 'a' } });
    expect(result.structuredContent).toMatchObject({ code: 'forbidden' });
    await client.close();
  });

  test('an unexpected error shows no internals', async () => {
    const client = await connect(era);
    for (const how of ['throw', 'output']) {
      const result = await client.callTool({ name: 'break_thing', arguments: { how } });
      expect(result.structuredContent).toMatchObject({ code: 'internal_error' });
      expect(JSON.stringify(result)).not.toContain('hunter2');
    }
    expect(
      service.log.lines.some(({ level, fields }) => level === 'error' && fields.operation === 'break_thing'),
    ).toBe(true);
    await client.close();
  });

  test('header fields of each request reach the context', async () => {
    const client = await connect(era, '/mcp', { ...auth, 'X-Agent-ID': 'claude' });
    expect((await client.callTool({ name: 'who_am_i', arguments: {} })).structuredContent).toEqual({
      agent: 'claude',
      caller: 'user',
    });
    await client.close();
    const anonymous = await connect(era);
    expect((await anonymous.callTool({ name: 'who_am_i' })).structuredContent).toMatchObject({
      code: 'precondition_failed',
    });
    await anonymous.close();
  });

  test('a client that gives a call up aborts it', async () => {
    await using own = await startService({ mount });
    const client = new Client({ name: 'tester', version: '0' }, { versionNegotiation: era });
    const transport = new StreamableHTTPClientTransport(new URL(`${own.url}/mcp`), {
      requestInit: { headers: auth },
    });
    await client.connect(transport);
    const call = client
      .callTool({ name: 'break_thing', arguments: { how: 'wait' } })
      .catch((error: Error) => error);
    await own.seen.until('waiting');
    await client.close();
    await own.seen.until('aborted:AbortError');
    expect(await call).toBeInstanceOf(Error);
  });

  test('a call past its deadline is answered', async () => {
    const client = await connect(era, '/mcp/short');
    const result = await client.callTool({ name: 'break_thing', arguments: { how: 'wait' } });
    expect(result.structuredContent).toMatchObject({
      error: 'BROKEN',
      says: expect.stringContaining('took too long'),
    });
    await client.close();
  });

  test('stopping the server answers what waits', async () => {
    const own = await startService({ mount });
    const client = new Client({ name: 'tester', version: '0' }, { versionNegotiation: era });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${own.url}/mcp`), { requestInit: { headers: auth } }),
    );
    const call = client.callTool({ name: 'break_thing', arguments: { how: 'wait' } });
    await own.seen.until('waiting');
    const closed = own.app.close();
    expect((await call).structuredContent).toEqual({ done: true });
    await client.close();
    await closed;
  });
});

interface RpcAnswer {
  readonly result: { readonly structuredContent: Record<string, unknown> };
  readonly error: { readonly code: number };
}

describe('the endpoint', () => {
  const legacyHeaders = {
    ...auth,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const modernHeaders = (name: string) => ({
    ...legacyHeaders,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '0' },
  };

  const post = (body: unknown, headers: Record<string, string> = legacyHeaders, path = '/mcp') =>
    fetch(service.url + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  async function rpc(response: Response): Promise<RpcAnswer> {
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'));
  }

  const call = (args: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_things', ...(args === undefined ? {} : { arguments: args }) },
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['a string', 'x'],
    ['false', false],
    ['a number', 7],
  ])('arguments that are %s are a validation error of the tool, in both eras', async (_, args) => {
    const legacy = await rpc(await post(call(args)));
    expect(legacy.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'validation_failed', detail: expect.stringContaining('arguments') },
    });
    const modern = call(args);
    const answer = await rpc(
      await post({ ...modern, params: { ...modern.params, _meta: meta } }, modernHeaders('list_things')),
    );
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { code: 'validation_failed' } });
  });

  test('missing arguments are none', async () => {
    expect((await rpc(await post(call(undefined)))).result.structuredContent).toEqual({
      asked: { limit: 20 },
    });
  });

  test('deep, NUL and prototype arguments are refused without a fault', async () => {
    const create = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_thing","arguments":{"box":"b","name":"n",${args}}}}`;
    const refused = await rpc(await post(create('"__proto__":{"x":1}')));
    expect(refused.result.structuredContent.detail).toContain('__proto__');
    const nul = await rpc(await post(create('"tags":{"a":"\\u0000"}')));
    expect(nul.result.structuredContent).toMatchObject({ code: 'validation_failed' });
    const deep = await post(create(`"tags":{"a":${'['.repeat(100)}${']'.repeat(100)}}`));
    expect([deep.status, (await rpc(deep)).error.code]).toEqual([400, -32_700]);
  });

  test.each(['GET', 'DELETE', 'PUT'])('%s is 405', async (method) => {
    const response = await fetch(`${service.url}/mcp`, { method, headers: auth });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  test('a bad credential is 401 in the HTTP dialect, whatever the body', async () => {
    for (const path of ['/mcp', '/mcp/short']) {
      const response = await post('{', { 'content-type': 'application/json' }, path);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="postern"',
      ]);
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(await response.json()).toMatchObject({ code: 'unauthorized', detail: 'Send the bearer.' });
    }
  });

  test('a body over the limit is 413 in the HTTP dialect', async () => {
    const response = await post(call({ after: 'x'.repeat(300_000) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
  });

  test.each([
    ['another site', 'https://evil.example', 403],
    ['null', 'null', 403],
    ['the public site', 'https://postern.example', 200],
    ['a page on this machine', 'http://localhost:6274', 200],
  ])('the origin of %s', async (_, origin, status) => {
    const response = await post(call({}), { ...legacyHeaders, origin });
    expect(response.status).toBe(status);
    if (status === 403) expect(await response.json()).toMatchObject({ code: 'forbidden' });
    else await response.text();
  });

  test("what is no JSON-RPC is refused with the protocol's own errors", async () => {
    expect((await rpc(await post('{'))).error.code).toBe(-32_700);
    expect((await rpc(await post(''))).error.code).toBe(-32_700);
    expect((await rpc(await post('null'))).error.code).toBe(-32_600);
    expect((await rpc(await post({ hello: 1 }))).error.code).toBe(-32_600);
    expect((await post('x=1', { ...legacyHeaders, 'content-type': 'text/plain' })).status).toBe(415);
    const batch = await post(Array.from({ length: 51 }, () => call({})));
    expect([batch.status, (await rpc(batch)).error.code]).toEqual([400, -32_600]);
    const unnamed = await rpc(
      await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } }),
    );
    expect(unnamed.error.code).toBe(-32_602);
  });

  test('each message of a batch counts, and the answer carries the request id and header fields', async () => {
    const response = await post([call({}), call({}), call({})], {
      ...legacyHeaders,
      'x-request-id': 'trace-12345678',
    });
    await response.text();
    expect(response.headers.get('ratelimit')).toBe('"default";r=97;t=1');
    expect(response.headers.get('x-request-id')).toBe('trace-12345678');
  });

  test('notifications are accepted', async () => {
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([response.status, await response.text()]).toEqual([202, '']);
  });
});
