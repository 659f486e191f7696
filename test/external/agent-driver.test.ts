import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../packages/threads/src/agent/agent.ts';
import { checkClaude } from '../../packages/threads/src/agent/claude/check.ts';
import { permissionServer, type Workshop, workshop } from '../../packages/threads/test/agent-harness.ts';
import { answer, type FakeMessagesApi, fakeMessagesApi, hang, text, toolUse } from '../fakes/messages-api.ts';
import { claude } from './tool-paths.ts';

/** The threads service's driver with the real agent CLI: what the scripted stand-in only claims to do. */

const SESSION = '4d1f2b4e-7c55-4d0e-9d52-0a2a5d1f9f10';

let api: FakeMessagesApi;
let shop: Workshop;
beforeEach(async () => {
  api = await fakeMessagesApi();
  shop = await workshop({
    command: claude,
    env: { PATH: process.env.PATH, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'a-key-for-the-fake' },
  });
  const home = join(shop.folder, 'home');
  mkdirSync(home);
  shop.base.env = { ...shop.base.env, HOME: home };
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
  await api.close();
});

function deciding(decision: 'allow' | 'deny' | 'wait', log = 'server.log') {
  const env = { DECISION: decision, LOG_FILE: join(shop.folder, log) };
  return { toolsServer: () => ({ command: process.execPath, args: [permissionServer], env }) };
}

const calls = (log = 'server.log') => readFileSync(join(shop.folder, log), 'utf8');

test('names its version', async () => {
  expect(await checkClaude({ command: claude, env: process.env })).toMatchObject({
    ok: true,
    version: expect.stringMatching(/^\d/),
  });
});

describe('a session', () => {
  test('keeps its history over a restart and begins anew with /clear', async () => {
    api.script(
      answer(text('Hello.')),
      answer(text('Olga.')),
      answer(text('Anew.')),
      answer(text('Still anew.')),
    );
    const first = await shop.start({
      agentSessionId: SESSION,
      systemPrompt: 'YOU-ARE-IN-A-CHAT',
      background: 'THEY-DEPLOY-ON-TUESDAYS',
    });
    const uuid = await first.say('I am Olga.');
    expect(await first.event('taken')).toEqual({ type: 'taken', uuid });
    await first.event('turn_finished');
    expect(await first.process.stop()).toMatchObject({ reason: 'wanted', exitCode: 0, isMidTurn: false });

    const second = await shop.start({
      agentSessionId: SESSION,
      resume: true,
      systemPrompt: 'YOU-ARE-IN-A-CHAT',
      background: 'NOW-THEY-DEPLOY-ON-FRIDAYS',
    });
    await second.say('Who am I?');
    expect(await second.event('turn_finished')).toMatchObject({
      outcome: 'success',
      costUsd: expect.closeTo(0.0008),
    });
    expect(api.requests[0]?.system).toContain('YOU-ARE-IN-A-CHAT');
    expect(api.requests[0]?.system).toContain('THEY-DEPLOY-ON-TUESDAYS');
    expect(api.requests[1]?.everything).toContain('I am Olga.');
    expect(api.requests[1]?.system).toContain('YOU-ARE-IN-A-CHAT');
    // What was remembered meanwhile is told to a session that goes on.
    expect(api.requests[1]?.system).toContain('NOW-THEY-DEPLOY-ON-FRIDAYS');
    await second.say('/clear');
    const { agentSessionId } = await second.event('session_changed');
    await second.say('Who am I now?');
    await second.event('turn_finished', 3);
    expect(api.requests[2]?.everything).not.toContain('I am Olga.');
    await second.process.stop();

    const third = await shop.start({ agentSessionId, resume: true });
    await third.say('And now?');
    await third.event('turn_finished');
    expect(api.requests[3]?.everything).toContain('Who am I now?');
    expect(api.requests[3]?.everything).not.toContain('I am Olga.');
    api.verify();
  });

  test('has a message once, however often it is given', async () => {
    api.script(answer(text('Hello.')), answer(text('Bye.')));
    const first = await shop.start({ agentSessionId: SESSION });
    const uuid = await first.say('Hello.');
    await first.event('turn_finished');
    await first.say('Hello.', uuid);
    expect(await first.event('taken', 2)).toEqual({ type: 'taken', uuid });
    await first.process.stop();
    const second = await shop.start({ agentSessionId: SESSION, resume: true });
    await second.say('Hello.', uuid);
    expect(await second.event('taken')).toEqual({ type: 'taken', uuid });
    await second.say('Bye.');
    await second.event('turn_finished');
    expect(second.text()).toBe('Bye.');
    expect(await second.process.stop()).toMatchObject({ isMidTurn: false });
    api.verify();
  });

  test('that is not known, or known already, is told by the end', async () => {
    const unknown = await shop.start({ agentSessionId: SESSION, resume: true });
    expect(await unknown.process.ended).toMatchObject({ exitCode: 1, isUnknownSession: true });
    api.script(answer(text('Hello.')));
    const first = await shop.start({ agentSessionId: SESSION });
    await first.say('Hello.');
    await first.event('turn_finished');
    await first.process.stop();
    const again = await shop.start({ agentSessionId: SESSION });
    expect(await again.process.ended).toMatchObject({ exitCode: 1, isKnownSession: true });
  });
});

describe('an interrupt', () => {
  test('ends an answer half-way; the message behind it is taken in its turn', async () => {
    api.script(
      hang(6, text('Some words that come in several pieces, so that there are some.')),
      answer(text('Next.')),
    );
    const agent = await shop.start();
    await agent.say('Tell me.');
    await api.request(1);
    await agent.say('And then?');
    expect(await agent.process.interrupt()).toBe(true);
    expect(await agent.event('turn_finished')).toMatchObject({ outcome: 'interrupted', errors: [] });
    expect(await agent.event('turn_finished', 2)).toMatchObject({ outcome: 'success' });
    expect(agent.text()).toMatch(/Next\.$/);
    expect(await agent.process.interrupt()).toBe(false);
  });

  test('gives up a pending permission, and the server is told', async () => {
    api.script(answer(toolUse('Bash', { command: 'touch made', description: 'Make it' })));
    const agent = await shop.start({}, deciding('wait'));
    await agent.say('Make it.');
    await agent.event('tool_use');
    await expect.poll(() => calls()).toContain('permission_prompt');
    expect(await agent.process.interrupt()).toBe(true);
    expect(await agent.event('turn_finished')).toMatchObject({ outcome: 'interrupted' });
    await expect.poll(() => calls()).toContain('notifications/cancelled');
  });
});

describe('permission', () => {
  test('is asked with the whole input, and the decision holds', async () => {
    const command = `printf allowed > made # ${'x'.repeat(2_000)}`;
    api.script(answer(toolUse('Bash', { command, description: 'Make it' })), answer(text('Made.')));
    const agent = await shop.start({}, deciding('allow'));
    await agent.say('Make it.');
    await agent.event('turn_finished');
    expect(readFileSync(join(shop.workingDir, 'made'), 'utf8')).toBe('allowed');
    expect(calls()).toContain(JSON.stringify(command));
    expect(calls()).not.toContain('ANTHROPIC_API_KEY');
  });

  test('is not asked for what lies in the denied folders: it is refused', async () => {
    const data = join(shop.folder, 'data [1]');
    mkdirSync(data);
    writeFileSync(join(data, 'key'), 'THE-KEY');
    symlinkSync(data, join(shop.workingDir, 'link'));
    const uses = [
      toolUse('Read', { file_path: join(data, 'key') }),
      toolUse('Read', { file_path: join(shop.workingDir, 'link', 'key') }),
      toolUse('Bash', { command: `cat '${join(data, 'key')}'`, description: 'Show' }),
      toolUse('Bash', { command: 'cat link/key', description: 'Show' }),
      toolUse('Write', { file_path: join(data, 'key'), content: 'MINE' }),
      toolUse('Bash', { command: `echo MINE > '${join(data, 'key')}'`, description: 'Write' }),
    ];
    api.script(answer(...uses), answer(text('No.')));
    const agent = await shop.start({ deniedPaths: [data] }, deciding('allow'));
    await agent.say('Show me the key.');
    await agent.event('turn_finished');
    const results = agent.events.filter((event) => event.type === 'tool_result');
    expect(results.map(({ isError }) => isError)).toEqual(uses.map(() => true));
    expect(JSON.stringify(agent.events)).not.toContain('THE-KEY');
    expect(readFileSync(join(data, 'key'), 'utf8')).toBe('THE-KEY');
    expect(calls()).not.toContain('tools/call');
  });

  test('cannot be had when the tools’ server does not start: the end has no result', async () => {
    api.script(answer(toolUse('Bash', { command: 'touch made', description: 'Make it' })));
    const agent = await shop.start({}, { toolsServer: () => ({ command: '/nowhere', args: [], env: {} }) });
    await agent.say('Make it.');
    expect(await agent.event('ready')).toMatchObject({ bridge: 'failed' });
    expect(await agent.process.ended).toMatchObject({ reason: 'exited', exitCode: 1, isMidTurn: true });
  });
});

test('a stopped agent leaves none of its commands running', async () => {
  api.script(
    answer(
      toolUse('Bash', {
        command: 'sleep 61234 & echo $!; wait',
        description: 'Wait',
        run_in_background: true,
      }),
    ),
    answer(text('It runs.')),
  );
  const agent = await shop.start({}, { ...deciding('allow'), deadlines: { closedInput: 500 } });
  await agent.say('Wait.');
  await agent.event('turn_finished');
  const sleepers = () => {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' });
    return stdout.split('\n').filter((line) => /^[^Z]\S*\s+sleep 61234$/.test(line)).length;
  };
  await expect.poll(sleepers).toBe(1);
  await agent.process.stop();
  await expect.poll(sleepers).toBe(0);
});

test('the tools of the task list are there', async () => {
  api.script(
    answer(toolUse('TaskCreate', { subject: 'Write', description: 'It' })),
    answer(text('Planned.')),
  );
  const agent = await shop.start();
  await agent.say('Plan.');
  await agent.event('turn_finished');
  const created = agent.events.find(
    (event): event is Extract<AgentEvent, { type: 'tool_result' }> => event.type === 'tool_result',
  );
  expect(created).toMatchObject({ isError: false, text: 'Task #1 created successfully: Write' });
});
