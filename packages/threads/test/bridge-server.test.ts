import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http';
import { systemRandom } from '@postern/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bridgeEnvironment } from '../src/bridge/environment.ts';
import { BEAT_MS } from '../src/bridge/protocol.ts';
import { type BridgeOptions, openBridge } from '../src/bridge/server.ts';
import type { Post } from '../src/platforms/platform.ts';
import { OWNER } from '../src/testing/index.ts';
import { type ToolBench, toolBench } from '../src/testing/tool-bench.ts';
import { runTool } from '../src/tools/run-tool.ts';
import { eras, program, toolsServer } from './tools-server.ts';

const PROMPT = 'permission_prompt';
const bash = { tool_name: 'Bash', input: { command: 'ls -la' }, tool_use_id: 'toolu_1' };

/** A bot with one session, and the environment of its tools' server. */
async function bot(handle?: BridgeOptions['handle']) {
  const at = await toolBench();
  const folder = await mkdtemp(join(tmpdir(), 'bot-'));
  const bridge = await openBridge({
    folder,
    clock: at.clock,
    random: systemRandom,
    log: silentLog,
    handle:
      handle ?? ((_session, { tool, input }, signal) => runTool(tool, input, { ...at.context, signal })),
  });
  onTestFinished(async () => {
    await bridge.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { at, bridge, env: bridgeEnvironment({ ...bridge.register('s1'), features: [] }) };
}

const question = (at: ToolBench, text: string): Promise<Post> =>
  at.platform.botPost(
    (post) => post.text.includes(text) && at.platform.reactionsOn.get(post.postId)?.length === 3,
  );

const textOf = (result: { content: unknown }): unknown => {
  const [block] = result.content as { text: string }[];
  return JSON.parse(block?.text ?? '');
};

describe.each(eras)('the server of a session, to a %s client', (_, era) => {
  test('lists the nine tools under its name, none with an output schema', async () => {
    const { env } = await bot();
    const { client } = await toolsServer(env, era);
    expect(client.getServerVersion()?.name).toBe('claude-threads-mcp');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'permission_prompt',
      'send_file',
      'read_post',
      'react_to_post',
      'update_own_post',
      'list_thread',
      'read_channel_history',
      'search_messages',
      'send_dm',
    ]);
    for (const { outputSchema, annotations } of tools) {
      expect(outputSchema).toBeUndefined();
      expect(Object.keys(annotations ?? {})).toHaveLength(5);
    }
  });

  test('runs tools in the bot; the text is the structured answer', async () => {
    const { at, env } = await bot();
    await at.platform.say(OWNER, 'the root');
    const { client } = await toolsServer(env, era);
    const read = await client.callTool({ name: 'list_thread', arguments: { max_messages: '5' } });
    expect(read.isError ?? false).toBe(false);
    expect(read.content).toHaveLength(1);
    expect(textOf(read)).toEqual(read.structuredContent);
    expect(read.structuredContent).toMatchObject({ ok: true, content: expect.stringContaining('the root') });
    const refused = await client.callTool({ name: 'read_post', arguments: { url: 'https://evil.example' } });
    expect(textOf(refused)).toEqual({ ok: false, reason: expect.stringContaining('not a permalink') });
    expect(refused.structuredContent).toEqual(textOf(refused));
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  test('answers a permission with one block of text and nothing beside it', async () => {
    const { at, env } = await bot();
    const { client } = await toolsServer(env, era);
    const yes = client.callTool({ name: PROMPT, arguments: bash });
    await at.platform.reactAs(OWNER, await question(at, 'ls -la'), '+1');
    const answer = await yes;
    expect(answer.content).toHaveLength(1);
    expect(textOf(answer)).toEqual({ behavior: 'allow', updatedInput: bash.input });
    expect(answer).not.toHaveProperty('structuredContent');
    expect(answer.isError ?? false).toBe(false);
    const bad = await client.callTool({ name: PROMPT, arguments: { input: 5 } });
    expect(textOf(bad)).toMatchObject({ behavior: 'deny', message: expect.any(String) });
    expect(bad).not.toHaveProperty('structuredContent');
  });

  test('keeps several permissions apart that wait at once', async () => {
    const { at, env } = await bot();
    const { client } = await toolsServer(env, era);
    const ask = (file_path: string) =>
      client.callTool({ name: PROMPT, arguments: { tool_name: 'Read', input: { file_path } } });
    const [one, other] = [ask('/one'), ask('/other')];
    await at.platform.reactAs(OWNER, await question(at, '/other'), '-1');
    expect(textOf(await other)).toMatchObject({ behavior: 'deny' });
    await at.platform.reactAs(OWNER, await question(at, '/one'), '+1');
    expect(textOf(await one)).toEqual({ behavior: 'allow', updatedInput: { file_path: '/one' } });
  });

  test('closes the question when the client cancels the call', async () => {
    const { at, env } = await bot();
    const { client } = await toolsServer(env, era);
    const cancel = new AbortController();
    const call = client
      .callTool({ name: PROMPT, arguments: bash }, { signal: cancel.signal })
      .catch((error: unknown) => error);
    await question(at, 'ls -la');
    cancel.abort();
    expect(await call).toBeInstanceOf(Error);
    await at.platform.botPost(({ text }) => text.includes('no longer waits'));
  });

  test('says that it waits, for as long as the bot does', async () => {
    const { at, env } = await bot();
    const { client } = await toolsServer(env, era);
    const told = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const call = client.callTool(
      { name: PROMPT, arguments: bash },
      { onprogress: ({ progress }) => told[progress - 1]?.resolve(progress) },
    );
    const post = await question(at, 'ls -la');
    for (const each of told) {
      await at.clock.advance(BEAT_MS);
      await each.promise;
    }
    await at.platform.reactAs(OWNER, post, '+1');
    expect(textOf(await call)).toMatchObject({ behavior: 'allow' });
  });

  test('denies what waits when the bot goes away, and what comes after', async () => {
    const { at, bridge, env } = await bot();
    const { client } = await toolsServer(env, era);
    const call = client.callTool({ name: PROMPT, arguments: bash });
    await question(at, 'ls -la');
    await bridge.close();
    expect(textOf(await call)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('lost') });
    const next = await client.callTool({ name: PROMPT, arguments: bash });
    expect(textOf(next)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('cannot be reached'),
    });
    const read = await client.callTool({ name: 'list_thread', arguments: {} });
    expect(textOf(read)).toEqual({ ok: false, reason: 'The bot cannot be reached.' });
  });

  test('denies a permission when the bot says that the session has ended', async () => {
    const { env } = await bot(async () => ({ ok: false, reason: 'The session has ended.' }));
    const { client } = await toolsServer(env, era);
    const answer = await client.callTool({ name: PROMPT, arguments: bash });
    expect(textOf(answer)).toEqual({ behavior: 'deny', message: 'The session has ended.' });
  });

  test('opens and lists its tools though the bot is not there', async () => {
    const env = bridgeEnvironment({ socketPath: '/nowhere/b.sock', token: 't', features: [] });
    const { client } = await toolsServer(env, era);
    expect((await client.listTools()).tools).toHaveLength(9);
  });

  test('refuses everything with a token that is not known', async () => {
    const { at, env } = await bot();
    const { client } = await toolsServer({ ...env, POSTERN_BRIDGE_TOKEN: 'guess' }, era);
    const call = await client.callTool({ name: PROMPT, arguments: bash });
    expect(textOf(call)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('not known') });
    expect(at.platform.posts).toEqual([]);
  });
});

describe('the process', () => {
  function start(env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    return { child, lines: () => stdout.split('\n').filter((line) => line !== '') };
  }
  const message = (value: object) => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
  const prompt = message({ id: 1, method: 'tools/call', params: { name: PROMPT, arguments: bash } });

  test('ends when its input ends, with nothing but JSON-RPC on stdout', async () => {
    const { at, env } = await bot();
    await at.platform.say(OWNER, 'the root');
    const { child, lines } = start(env);
    child.stdin.end(
      `no JSON\n${message({ id: 1, method: 'tools/call', params: { name: 'list_thread', arguments: {} } })}`,
    );
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test.each(['SIGINT', 'SIGKILL'] as const)('closes its question when it ends by %s', async (signal) => {
    const { at, env } = await bot();
    const { child } = start(env);
    child.stdin.write(prompt);
    await question(at, 'ls -la');
    child.kill(signal);
    await at.platform.botPost(({ text }) => text.includes('no longer waits'));
  });

  test('does not live on when the agent’s program dies with a question open', async () => {
    const { at, env } = await bot();
    const { child } = start(env);
    child.stdin.write(prompt);
    await question(at, 'ls -la');
    child.stdin.end();
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    await at.platform.botPost(({ text }) => text.includes('no longer waits'));
  });

  test('tells each call what its environment lacks', async () => {
    const { client } = await toolsServer({});
    expect((await client.listTools()).tools).toHaveLength(9);
    const call = await client.callTool({ name: PROMPT, arguments: bash });
    expect(textOf(call)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('PLATFORM_TYPE'),
    });
  });
});
