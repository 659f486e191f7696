import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';

const script = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));

const eras = [
  ['legacy', { mode: 'legacy' }],
  ['modern', { mode: { pin: '2026-07-28' } }],
] as const;

describe.each(eras)('a %s client over stdio', (_, era) => {
  async function connect() {
    const client = new Client({ name: 'tester', version: '0' }, { versionNegotiation: era });
    const transport = new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'pipe' });
    await client.connect(transport);
    return { client, transport };
  }

  test('lists and calls tools; errors speak the dialect', async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('create_thing');
    const created = await client.callTool({
      name: 'create_thing',
      arguments: { box: 'a/b', name: 'ü', size: 2, dry: true },
    });
    expect(created.structuredContent).toEqual({
      method: 'POST',
      path: '/boxes/a%2Fb/things?dry=true',
      body: '{"name":"ü","size":2}',
    });
    const listed = await client.callTool({ name: 'list_things', arguments: { ids: ['a', 'b&c'] } });
    expect(listed.structuredContent).toMatchObject({
      method: 'GET',
      path: '/things?limit=20&ids=a&ids=b%26c',
      body: null,
    });

    const invalid = await client.callTool({ name: 'list_things', arguments: { limit: 0, x: 1 } });
    expect(invalid).toMatchObject({
      isError: true,
      structuredContent: { error: 'BAD', fields: [{ field: 'limit' }, { field: 'x' }] },
    });
    const thrown = await client.callTool({ name: 'break_thing', arguments: { how: 'throw' } });
    expect(thrown).toMatchObject({ isError: true, structuredContent: { error: 'BROKEN' } });
    expect(JSON.stringify(thrown)).not.toContain('secret');
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  test('can cancel a call', async () => {
    const { client, transport } = await connect();
    const said = lines(transport.stderr as Readable);
    const cancel = new AbortController();
    const call = client
      .callTool({ name: 'break_thing', arguments: { how: 'wait' } }, { signal: cancel.signal })
      .catch((error: Error) => error);
    await said('waiting');
    cancel.abort();
    await said('aborted');
    expect(await call).toBeInstanceOf(Error);
    await client.close();
  });
});

/** Waits for a line on a stream. */
function lines(stream: Readable): (line: string) => Promise<void> {
  let text = '';
  const waiting = new Set<() => void>();
  stream.on('data', (chunk) => {
    text += chunk;
    for (const wake of waiting) wake();
  });
  return async (line) => {
    while (!text.includes(`${line}\n`)) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
}

/** Gives a server some input, ends it, and waits for the process to end. */
async function pipe(
  input: string,
): Promise<{ code: number | null; answers: Record<string, unknown>[]; stdout: string }> {
  const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stdin?.end(input);
  const [code] = await once(child, 'close');
  return {
    code,
    stdout,
    answers: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

const call = (id: number, name: string, args?: unknown) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...(args === undefined ? {} : { arguments: args }) } })}\n`;

describe('the process', () => {
  test('ends when its input does, with nothing on stdout', async () => {
    expect(await pipe('')).toMatchObject({ code: 0, stdout: '' });
  });

  test('answers what was asked before its input ended, slow calls too', async () => {
    const { code, answers } = await pipe(
      call(1, 'get_thing', { thing_id: 'slow' }) + call(2, 'get_thing', { thing_id: 'a' }),
    );
    expect(code).toBe(0);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  test('takes wrong arguments as a validation error, and skips what is no message', async () => {
    const deep = `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"get_thing","arguments":{"thing_id":${'['.repeat(5_000)}${']'.repeat(5_000)}}}}\n`;
    const { answers } = await pipe(
      `nonsense\n{"hello":1}\n${call(1, 'get_thing', null)}${call(2, 'get_thing', [])}${call(3, 'get_thing', 'x')}${call(4, 'who_am_i')}` +
        `${call(5, 'get_thing', { thing_id: 'a\0' })}${deep}`,
    );
    const results = Object.fromEntries(
      answers.map(({ id, result }) => [id, result as Record<string, unknown>]),
    );
    for (const id of [1, 2, 3, 5, 6])
      expect(results[id]).toMatchObject({ isError: true, structuredContent: { error: 'BAD' } });
    expect(results[4]).toMatchObject({ structuredContent: { method: 'GET', path: '/whoami' } });
  });

  test('ends when its output is closed', async () => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.destroy();
    child.stdin.write(call(1, 'get_thing', { thing_id: 'a' }));
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
