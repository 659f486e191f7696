import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AgentEvent } from '../src/agent/agent.ts';
import { checkClaude } from '../src/agent/claude/check.ts';
import { type ScriptedClaude, scriptedClaude } from '../src/testing/fakes/claude/scripted-claude.ts';
import { permissionServer, type Workshop, workshop } from './agent-harness.ts';

/** The driver against a real process that speaks as Claude Code does. */

let claude: ScriptedClaude;
let shop: Workshop;
beforeAll(async () => {
  claude = await scriptedClaude();
  shop = await workshop({ command: claude.path });
});
afterEach(() => shop.stopAll());
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await claude[Symbol.asyncDispose]();
});

const quick = {
  interruptAnswer: 100,
  interruptedTurn: 100,
  closedInput: 100,
  sigint: 100,
  sigterm: 100,
  closedOutput: 100,
};

/** A process that is gone and not yet collected is not alive. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.includes('Z');
}

describe('a turn', () => {
  test('gives what the agent says and does, in order, and ends', async () => {
    const agent = await shop.start();
    const uuid = await agent.say(
      '[[say Let me look.]][[tool Read {"file_path":"a.ts"}]][[result const a]][[say Done.]]',
    );
    await agent.event('turn_finished');
    expect(agent.events).toEqual([
      expect.objectContaining({ type: 'ready', model: 'scripted', bridge: 'connected' }),
      { type: 'taken', uuid },
      { type: 'text', text: 'Let me look.', parentToolUseId: null },
      expect.objectContaining({ type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } }),
      expect.objectContaining({ type: 'tool_result', isError: false, text: 'const a' }),
      { type: 'text', text: 'Done.', parentToolUseId: null },
      expect.objectContaining({ type: 'turn_finished', outcome: 'success', costUsd: 0.01, outputTokens: 20 }),
    ]);
    expect(await agent.process.stop()).toMatchObject({ reason: 'wanted', isMidTurn: false });
  });

  test('takes a message sent meanwhile in its turn', async () => {
    const agent = await shop.start();
    const uuids = [await agent.say('[[say One.]]'), await agent.say('[[say Two.]]')];
    await agent.event('turn_finished', 2);
    expect(agent.events.flatMap((event) => (event.type === 'taken' ? [event.uuid] : []))).toEqual(uuids);
    expect(agent.text()).toBe('One.\nTwo.');
  });

  test('is not begun for a message that the session has already; it is said to be taken', async () => {
    const agent = await shop.start();
    const uuid = await agent.say('[[say One.]]');
    await agent.event('turn_finished');
    await agent.say('[[say One.]]', uuid);
    expect(await agent.event('taken', 2)).toEqual({ type: 'taken', uuid });
    expect(await agent.process.interrupt()).toBe(false);
    expect(agent.text()).toBe('One.');
  });

  test('survives lines that are no events', async () => {
    const agent = await shop.start();
    await agent.say('[[garbage]][[say Still here.]]');
    await agent.event('turn_finished');
    expect(agent.text()).toBe('Still here.');
  });

  test('carries a text of a megabyte whole', async () => {
    const agent = await shop.start();
    await agent.say('[[block 1000000]]');
    await agent.event('turn_finished');
    expect(agent.text()).toHaveLength(1_000_000);
  });

  test('hands over one event at a time and lets the agent wait', async () => {
    const seen: string[] = [];
    let busy = 0;
    const gate = Promise.withResolvers<void>();
    const agent = await shop.start({
      onEvent: async (event) => {
        busy += 1;
        expect(busy).toBe(1);
        if (event.type === 'ready') await gate.promise;
        seen.push(event.type);
        busy -= 1;
      },
    });
    await agent.say('[[stream 2000]]');
    gate.resolve();
    await expect.poll(() => seen.at(-1), { timeout: 20_000 }).toBe('turn_finished');
    expect(seen.filter((type) => type === 'text')).toHaveLength(2_000);
  });

  test('goes on when an event cannot be handled', async () => {
    const seen: AgentEvent['type'][] = [];
    const agent = await shop.start({
      onEvent: async ({ type }) => {
        seen.push(type);
        if (type === 'text') throw new Error('the database is away');
      },
    });
    await agent.say('[[say Hello.]]');
    await agent.process.stop();
    expect(seen).toEqual(['ready', 'taken', 'text', 'turn_finished']);
  });
});

describe('permission', () => {
  test.each([
    ['allow', { isError: false, text: 'ran {"command":"rm a"}' }],
    ['deny', { isError: true, text: 'Olga said no.' }],
  ])('is asked for through the tools’ server (%s)', async (decision, result) => {
    const agent = await shop.start({}, toolsServer({ DECISION: decision }));
    await agent.say('[[ask Bash {"command":"rm a"}]]');
    await agent.event('turn_finished');
    expect(await agent.event('tool_result')).toMatchObject(result);
  });

  test('that is pending is given up by an interrupt, and the server is told', async () => {
    const log = join(shop.folder, 'pending.log');
    const agent = await shop.start({}, toolsServer({ DECISION: 'wait', LOG_FILE: log }));
    await agent.say('[[ask Bash {"command":"rm a"}]]');
    await agent.event('tool_use');
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('tools/call');
    expect(await agent.process.interrupt()).toBe(true);
    expect(await agent.event('turn_finished')).toMatchObject({ outcome: 'interrupted', errors: [] });
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('notifications/cancelled');
  });

  test('is not asked for in bypass mode', async () => {
    const agent = await shop.start({ permissionMode: 'bypass' }, toolsServer({ DECISION: 'deny' }));
    await agent.say('[[ask Bash {"command":"rm a"}]]');
    expect(await agent.event('tool_result')).toMatchObject({ isError: false });
    expect(await agent.event('ready')).toMatchObject({ permissionMode: 'bypassPermissions' });
  });

  test('cannot be asked for when the tools’ server does not start, which the first event tells', async () => {
    const agent = await shop.start(
      {},
      { toolsServer: () => ({ command: '/nowhere/node', args: [], env: {} }) },
    );
    await agent.say('hello');
    expect(await agent.event('ready')).toMatchObject({ bridge: 'failed' });
  });
});

describe('an interrupt', () => {
  test('ends the turn, and the same process takes the next message', async () => {
    const agent = await shop.start();
    await agent.say('[[say Working.]][[wait]]');
    await agent.event('text');
    expect(await agent.process.interrupt()).toBe(true);
    expect(await agent.event('turn_finished')).toMatchObject({ outcome: 'interrupted' });
    await agent.say('[[say Again.]]');
    await agent.event('turn_finished', 2);
    expect(agent.text()).toBe('Working.\nAgain.');
  });

  test('of nothing says so', async () => {
    const agent = await shop.start();
    expect(await agent.process.interrupt()).toBe(false);
    await agent.say('[[say Hello.]]');
    await agent.event('turn_finished');
    expect(await agent.process.interrupt()).toBe(false);
  });

  test('that is not heard comes as a signal', async () => {
    const agent = await shop.start({}, { deadlines: quick });
    await agent.say('[[say Working.]][[hang]]');
    await agent.event('text');
    expect(await agent.process.interrupt()).toBe(true);
    expect(await agent.process.stop()).toMatchObject({
      reason: 'wanted',
      signal: 'SIGKILL',
      isMidTurn: true,
    });
  });
});

describe('a session', () => {
  test('is resumed with what was said', async () => {
    const agentSessionId = '6f1f4f5e-5b0e-4a43-9a0a-0f0c5b8f7a11';
    const begun = await shop.start({ agentSessionId });
    await begun.say('first words');
    await begun.event('turn_finished');
    await begun.process.stop();
    const resumed = await shop.start({ agentSessionId, resume: true });
    await resumed.say('[[history]]');
    await resumed.event('turn_finished');
    expect(JSON.parse(resumed.text())).toEqual(['first words', '[[history]]']);
  });

  test('that the agent does not know is told by the end alone', async () => {
    const agent = await shop.start({ resume: true });
    expect(await agent.process.ended).toMatchObject({
      reason: 'exited',
      exitCode: 1,
      isUnknownSession: true,
    });
    expect(agent.events).toEqual([]);
  });

  test('that the agent knows already, though it was to begin it, is told', async () => {
    const first = await shop.start({ agentSessionId: '0f6a8f0e-30c2-4a52-8a0e-3d7f0e2b9c55' });
    await first.say('hello');
    await first.event('turn_finished');
    const again = await shop.start({ agentSessionId: '0f6a8f0e-30c2-4a52-8a0e-3d7f0e2b9c55' });
    expect(await again.process.ended).toMatchObject({ exitCode: 1, isKnownSession: true });
  });
});

describe('an end', () => {
  test('without a result is told with the end of the error output', async () => {
    const agent = await shop.start();
    await agent.say('[[say Working.]][[crash]]');
    expect(await agent.process.ended).toEqual({
      reason: 'exited',
      exitCode: 1,
      signal: null,
      isMidTurn: true,
      isUnknownSession: false,
      isKnownSession: false,
      errorOutput: 'Error: the scripted crash',
    });
    await expect(agent.say('more')).rejects.toMatchObject({ name: 'AgentGoneError' });
    expect(await agent.process.interrupt()).toBe(false);
  });

  test('by a signal is told', async () => {
    const agent = await shop.start();
    await agent.say('[[die]]');
    expect(await agent.process.ended).toMatchObject({
      reason: 'signalled',
      signal: 'SIGKILL',
      isMidTurn: true,
    });
  });

  test('of a running turn is not waited for', async () => {
    const agent = await shop.start({}, { deadlines: quick });
    await agent.say('[[wait]]');
    await agent.event('taken');
    expect(await agent.process.stop()).toMatchObject({ reason: 'wanted', exitCode: 0, isMidTurn: false });
  });

  test.runIf(process.platform === 'linux').each([
    ['though it heeds no signal', '[[hang]]'],
    ['though it is killed', '[[die]]'],
  ])('leaves no process behind, %s', async (_, last) => {
    const agent = await shop.start({}, { deadlines: quick });
    await agent.say(`[[leave]]${last}`);
    const { text: left } = await agent.event('text');
    expect(isAlive(Number(left))).toBe(true);
    await agent.process.stop();
    await expect.poll(() => isAlive(Number(left))).toBe(false);
    const groups = execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' }).split('\n');
    const living = groups.filter(
      (line) => Number.parseInt(line, 10) === agent.process.pid && !line.includes('Z'),
    );
    expect(living).toEqual([]);
    expect(readdirSync(shop.filesDir)).toEqual([]);
  });

  test('before it began tells what is missing', async () => {
    const [noProgram, noFolder, noKey, noHome] = [
      await shop.start({}, { command: '/nowhere/claude' }),
      await shop.start({ workingDir: join(shop.folder, 'gone') }),
      await shop.start({ account: { apiKeyFile: join(shop.folder, 'no-key') } }),
      await shop.start({ account: { home: join(shop.folder, 'no-home') } }),
    ];
    const not_started = { reason: 'not_started', exitCode: null, isMidTurn: false };
    expect(await noProgram.process.ended).toMatchObject({
      ...not_started,
      errorOutput: expect.stringContaining('/nowhere/claude could not be started'),
    });
    expect(await noFolder.process.ended).toMatchObject({
      ...not_started,
      errorOutput: expect.stringMatching(/^The working folder .*gone does not exist\.$/),
    });
    expect(await noKey.process.ended).toMatchObject({
      ...not_started,
      errorOutput: expect.stringContaining('key file cannot be read'),
    });
    expect(await noHome.process.ended).toMatchObject({
      ...not_started,
      errorOutput: expect.stringMatching(/^The account's home .*no-home does not exist\.$/),
    });
    await expect(noFolder.say('hello')).rejects.toMatchObject({ name: 'AgentGoneError' });
  });
});

describe('secrets', () => {
  test('are in no argument, and only in a file of this user', async () => {
    const agent = await shop.start({
      systemPrompt: 'You are in a chat.',
      background: 'The key is under the mat.',
      deniedPaths: ['/srv/postern'],
    });
    await agent.say('[[args]]');
    await agent.event('turn_finished');
    const args = JSON.parse(agent.text()) as string[];
    expect(args.join(' ')).not.toContain('the-token-of-the-bridge');
    const file = args[args.indexOf('--mcp-config') + 1] as string;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const background = args[args.indexOf('--append-system-prompt-file') + 1] as string;
    expect(statSync(background).mode & 0o777).toBe(0o600);
    expect(readFileSync(background, 'utf8')).toBe('The key is under the mat.');
    expect(args.slice(0, args.indexOf('--settings')).join(' ')).not.toContain('under the mat');
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(shop.filesDir).mode & 0o777).toBe(0o700);
    await agent.process.stop();
    expect(existsSync(file)).toBe(false);
    expect(existsSync(background)).toBe(false);
  });

  test('of this process reach neither the agent nor the tools’ server', async () => {
    const log = join(shop.folder, 'environment.log');
    const env = {
      ...process.env,
      POSTERN_MASTER_KEY: 'secret-of-postern',
      AMC_BEARER: 'secret-of-the-inbox',
      PLATFORM_TOKEN: 'secret-of-the-platform',
      SOMETHING_ELSE: 'x',
      ANTHROPIC_API_KEY: 'secret-of-the-model',
      CLAUDE_CODE_OAUTH_TOKEN: 'another-secret',
      CLAUDE_CODE_SESSION_ID: 'of-another-session',
      HTTPS_PROXY: 'http://proxy.example',
    };
    const agent = await shop.start({}, { env, ...toolsServer({ LOG_FILE: log }) });
    await agent.say('[[env]]');
    await agent.event('turn_finished');
    const names = JSON.parse(agent.text()) as string[];
    expect(names).toEqual(
      expect.arrayContaining(['ANTHROPIC_API_KEY', 'HTTPS_PROXY', 'MCP_TOOL_TIMEOUT', 'PATH']),
    );
    const kept = [
      'POSTERN_MASTER_KEY',
      'AMC_BEARER',
      'PLATFORM_TOKEN',
      'SOMETHING_ELSE',
      'CLAUDE_CODE_SESSION_ID',
    ];
    expect(names.filter((name) => kept.includes(name))).toEqual([]);
    const server = JSON.parse(readFileSync(log, 'utf8').split('\n')[0] as string) as { env: string[] };
    const blanked = [...kept, 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'];
    expect(server.env.filter((name) => blanked.includes(name) && name !== 'CLAUDE_CODE_SESSION_ID')).toEqual(
      [],
    );
  });
});

describe('check', () => {
  const check = (command: string) => checkClaude({ command, env: process.env });

  test('tells the version and where the program lies', async () => {
    expect(await check(claude.path)).toEqual({ ok: true, version: '2.1.332', path: claude.path });
  });

  test('tells what is wrong otherwise', async () => {
    expect(await check('no-such-program')).toEqual({
      ok: false,
      problem: expect.stringContaining('CLAUDE_PATH'),
    });
    expect(await check('/bin/false')).toEqual({ ok: false, problem: '/bin/false --version ended with 1' });
    expect(await check('/bin/true')).toEqual({
      ok: false,
      problem: expect.stringContaining('did not name a version'),
    });
  });
});

function toolsServer(env: Record<string, string>) {
  return { toolsServer: () => ({ command: process.execPath, args: [permissionServer], env }) };
}
