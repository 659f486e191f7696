import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signWebhook } from '@postern/http';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';

/** The example that starts an agent for each message that is pushed. */

const RECEIVER = fileURLToPath(new URL('../../examples/webhook-receiver.mjs', import.meta.url));
const SECRET = `whsec_${Buffer.from('a secret of twenty-four bytes or more').toString('base64')}`;

async function receiver() {
  const folder = await freshFolder();
  const log = join(folder, 'log');
  const claude = join(folder, 'claude');
  // Writes down when it begins and ends, so that two at once would show.
  await writeFile(
    claude,
    `#!/bin/sh\nread message\necho "begin $message" >> '${log}'\nsleep 0.2\necho "end $message" >> '${log}'\necho "$@" > '${log}.args'\n`,
  );
  await chmod(claude, 0o755);
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [RECEIVER], {
    env: { PATH: process.env.PATH, POSTERN_WEBHOOK_SECRET: SECRET, PORT: String(port), CLAUDE_PATH: claude },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const push = async (id: string, channel: string, secret = SECRET) => {
    const body = JSON.stringify({
      type: 'message.received',
      timestamp: new Date().toISOString(),
      data: { id, channel_id: channel },
    });
    const headers = {
      ...signWebhook({ id: `dlv-${id}`, timestampSeconds: Math.floor(Date.now() / 1_000), body }, [secret]),
    };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
  };
  const lines = async () =>
    (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return { push, lines, args: () => readFile(`${log}.args`, 'utf8') };
}

test('the receiver answers each message of a channel after the other, each once, and signed ones alone', async () => {
  const { push, lines, args } = await receiver();
  expect(await push('msg_0', 'local:a', `whsec_${'b'.repeat(32)}`)).toBe(401);
  for (const id of ['msg_1', 'msg_2', 'msg_1']) expect(await push(id, 'local:a')).toBe(204);
  await expect.poll(async () => (await lines()).length, { timeout: 20_000 }).toBe(4);
  const seen = (await lines()).map((line) => /^(\w+) Message (\w+)/.exec(line)?.slice(1).join(' '));
  expect(seen).toEqual(['begin msg_1', 'end msg_1', 'begin msg_2', 'end msg_2']);
  expect(await args()).toContain('mcp__postern-inbox__mark_read');
  expect(await args()).not.toContain('Bash');
});
