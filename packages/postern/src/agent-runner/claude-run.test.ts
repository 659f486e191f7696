import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runClaude } from './claude-run.ts';

/** A program that writes down how it was started, then does what the test says. */
async function program(then: string) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-run-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const command = join(folder, 'claude');
  const record = join(folder, 'record.json');
  await writeFile(
    join(folder, 'program.mjs'),
    `import { readFileSync, writeFileSync } from 'node:fs';
const config = process.argv[process.argv.indexOf('--mcp-config') + 1];
writeFileSync(${JSON.stringify(record)}, JSON.stringify({
  args: process.argv.slice(2), env: Object.keys(process.env), prompt: readFileSync(0, 'utf8'),
  servers: JSON.parse(readFileSync(config, 'utf8')),
}));
${then}
`,
  );
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${folder}/program.mjs' "$@"\n`);
  await chmod(command, 0o755);
  const run = (deadlineMs = 20_000, signal = new AbortController().signal) =>
    runClaude(
      {
        command,
        inbox: { command: 'node', args: ['postern.js', 'mcp', 'inbox'], env: { AMC_AGENT_ID: 'helper' } },
        environment: {
          ...process.env,
          POSTERN_ADMIN_KEY: 'secret',
          AMC_BEARER_TOKEN: 'secret',
          SLACK_BOT_TOKEN: 'x',
        },
        deadlineMs,
        instructions: 'Be brief.',
      },
      'local:shop; rm -rf /',
      ['msg_1', 'msg_2'],
      signal,
    );
  return { run, folder, record: async () => JSON.parse(await readFile(record, 'utf8')) };
}

test('the program gets four tools, ids alone, and no secret in its environment', async () => {
  const { run, record } = await program('');
  expect(await run()).toBe(true);
  const { args, env, prompt, servers } = await record();
  const allowed = args[args.indexOf('--allowedTools') + 1];
  expect(allowed.split(',')).toEqual(
    ['list_unread_messages', 'get_message_context', 'send_message', 'mark_read'].map(
      (tool) => `mcp__postern-inbox__${tool}`,
    ),
  );
  expect(args).toContain('--strict-mcp-config');
  expect(args[args.indexOf('--tools') + 1]).toBe('');
  expect(args.join(' ')).not.toContain('msg_1');
  expect(prompt).toContain('msg_1, msg_2');
  expect(env.filter((name: string) => /^(POSTERN|AMC|SLACK)_/.test(name))).toEqual([]);
  expect(servers.mcpServers['postern-inbox'].env).toEqual({ AMC_AGENT_ID: 'helper' });
});

test('a program that fails, or takes too long, is told apart from one that is done', async () => {
  expect(await (await program('process.exitCode = 3;')).run()).toBe(false);
  const hanging = await program('setInterval(() => {}, 1000);');
  // Of the folders for temporary files one that nobody else uses.
  vi.stubEnv('TMPDIR', hanging.folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await hanging.run(1_500)).toBe(false);
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('postern-agent-'))).toEqual([]);
});

test('nothing is started once the runner stops', async () => {
  const { run, record } = await program('');
  expect(await run(20_000, AbortSignal.abort())).toBe(false);
  await expect(record()).rejects.toThrow('ENOENT');
});

test.each([
  ['ends', ''],
  ['is killed', "process.kill(process.pid, 'SIGKILL');"],
  ['takes too long', 'setInterval(() => {}, 1000);'],
])('what a program has started does not outlive it when it %s', async (_, then) => {
  const stubborn = "process.on('SIGTERM', () => {}); process.send('up'); setInterval(() => {}, 1000);";
  const { run, folder } = await program(
    `const { spawn } = await import('node:child_process');
const child = spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
await new Promise((resolve) => child.once('message', resolve));
writeFileSync(process.argv[1].replace('program.mjs', 'pid'), String(child.pid));
child.disconnect();
child.unref();
${then}`,
  );
  await run(3_000);
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
  onTestFinished(() => void killed(pid));
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function killed(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

test('a program that is not there is an error', async () => {
  const { run, folder } = await program('');
  await rm(join(folder, 'claude'));
  await expect(run()).rejects.toThrow('ENOENT');
});
