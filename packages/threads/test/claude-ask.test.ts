import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http';
import { systemClock } from '@postern/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Agent } from '../src/agent/agent.ts';
import { claudeAgent } from '../src/agent/claude/claude-agent.ts';
import { type ScriptedClaude, scriptedClaude } from '../src/testing/fakes/claude/scripted-claude.ts';

/** One question to the CLI, as a real process. */

let claude: ScriptedClaude;
let folder: string;
let agent: Agent;
beforeAll(async () => {
  claude = await scriptedClaude();
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ask-')));
  agent = claudeAgent({
    command: claude.path,
    env: { ...process.env, CLAUDE_CODE_DISABLE_AUTO_MEMORY: '0', POSTERN_SECRET: 'x' },
    filesDir: join(folder, 'files'),
    toolsServer: () => ({ command: 'none', args: [], env: {} }),
    clock: systemClock,
    newUuid: randomUUID,
    log: silentLog,
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await claude[Symbol.asyncDispose]();
});

const options = () => ({ systemPrompt: 'Be a clerk.', signal: new AbortController().signal, maxMs: 20_000 });

test('is answered, with quotes and line breaks as they are', async () => {
  const answer = 'a "b"\n<c>';
  expect(await agent.ask(`What now?\n[[answer ${answer}]]`, options())).toBe(answer);
});

test('goes over the input, to a cheap model without tools, servers, hooks or history, in an empty folder', async () => {
  const told = JSON.parse(await agent.ask('secret words [[answer-args]]', options()));
  const line = told.argv.join(' ');
  expect(told.prompt).toContain('secret words');
  expect(line).not.toContain('secret words');
  expect(told.argv).toEqual([
    ...['-p', '--output-format', 'json', '--model', 'haiku', '--no-session-persistence'],
    ...['--tools', '', '--strict-mcp-config', '--mcp-config', expect.stringMatching(/mcp\.json$/)],
    ...['--system-prompt', 'Be a clerk.'],
    ...['--settings', '{"disableAllHooks":true,"autoMemoryEnabled":false}'],
  ]);
  expect(told.cwd.startsWith(join(folder, 'files'))).toBe(true);
  expect(existsSync(told.cwd)).toBe(false);
});

test('brings nothing of the operator’s own along: no instructions, no memory, no variables of the product', async () => {
  const env = JSON.parse(await agent.ask('[[answer-env]]', options()));
  expect(env).toMatchObject({
    CLAUDE_CODE_SAFE_MODE: '1',
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  });
  expect(env.POSTERN_SECRET).toBeUndefined();
});

test.each([
  ['an error of the provider', '[[answer-fail]]', 'answered with an error'],
  ['a crash', '[[answer-crash]]', 'ended with 1 and no answer'],
  ['an answer without end', '[[answer-noise]]', 'too long'],
])('%s is no answer', async (_what, prompt, reason) => {
  await expect(agent.ask(prompt, options())).rejects.toThrow(reason);
});

test('an agent that does not answer is ended at the deadline, and leaves nothing behind', async () => {
  await expect(agent.ask('[[answer-hang]]', { ...options(), maxMs: 300 })).rejects.toThrow('within 300 ms');
  expect(readdirSync(join(folder, 'files'))).toEqual([]);
});

test('a question that is called off ends at once', async () => {
  const calling = new AbortController();
  const asking = agent.ask('[[answer-hang]]', { ...options(), signal: calling.signal });
  calling.abort();
  await expect(asking).rejects.toThrow('called off');
});

test('a program that is not there, a key that cannot be read and a prompt beyond all bounds are refused', async () => {
  const account = { apiKeyFile: join(folder, 'none') };
  await expect(agent.ask('x', { ...options(), account })).rejects.toThrow('key file cannot be read');
  await expect(agent.ask('x'.repeat(500_001), options())).rejects.toThrow('too long');
});
