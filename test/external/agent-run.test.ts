import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  answer,
  type FakeMessagesApi,
  fakeMessagesApi,
  type ModelRequest,
  text,
  toolUse,
} from '../fakes/messages-api.ts';
import { allow, post, saidIn, unreadOf } from '../support/conversation.ts';
import { freshFolder } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';
import { posternCommand, startHub, type TestHub } from '../support/hub.ts';
import { claude } from './tool-paths.ts';

/** What starts the real agent CLI for what people write: `postern agent run`, and the example of a receiver. */

const RECEIVER = fileURLToPath(new URL('../../examples/webhook-receiver.mjs', import.meta.url));
const SECRET = `whsec_${Buffer.from('a secret of twenty-four bytes or more').toString('base64')}`;
const ana = { id: 'ana', name: 'Ana' };
const tools = ['get_message_context', 'list_unread_messages', 'mark_read', 'send_message'].map(
  (name) => `mcp__postern-inbox__${name}`,
);

interface Way {
  readonly name: string;
  readonly args: readonly string[];
}
const ways: readonly Way[] = [
  { name: 'postern agent run', args: [posternCommand, 'agent', 'run'] },
  { name: 'the receiver of webhooks', args: [RECEIVER] },
];

let api: FakeMessagesApi;
let hub: TestHub;
let port: number;
let program: ChildProcess | undefined;

beforeEach(async () => {
  api = await fakeMessagesApi();
  port = await freePort();
  const folder = await freshFolder();
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(
    join(folder, 'postern.yaml'),
    `inbox:\n  webhooks:\n    - { url: "http://127.0.0.1:${port}/", secrets: ["${SECRET}"], allowLoopback: true }\n`,
  );
  hub = await startHub({ folder });
  await allow(hub, ana);
});
afterEach(async () => {
  const ended = new Promise((resolve) => program?.once('exit', resolve));
  program?.kill();
  await ended;
  await hub[Symbol.asyncDispose]();
  await api.close();
});

/** Starts it where the hub's own secrets lie, as whoever follows the documentation does. */
async function start({ args }: Way): Promise<void> {
  program = spawn(process.execPath, args, {
    cwd: hub.folder,
    env: {
      PATH: process.env.PATH,
      HOME: hub.folder,
      CLAUDE_PATH: claude,
      CLAUDE_CONFIG_DIR: join(hub.folder, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'a-key-for-the-fake',
      POSTERN_WEBHOOK_SECRET: SECRET,
      PORT: String(port),
      AMC_BASE_URL: hub.url,
      AMC_BEARER_TOKEN_FILE: hub.bearerFile,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => program?.stdout?.once('data', resolve));
}

test.each(ways)('$name gives the agent the four tools of the inbox, and no other', async (way) => {
  let offered: string[] = [];
  const refusals: ModelRequest['toolResult'][] = [];
  api.script(
    ({ tools }) => {
      offered = tools.map(({ name }) => name);
      return answer(toolUse('Read', { file_path: join(hub.folder, 'data/secrets/admin-key') }));
    },
    ({ toolResult }) => {
      refusals.push(toolResult);
      return answer(toolUse('Bash', { command: `cat ${hub.folder}/data/secrets/admin-key` }));
    },
    ({ toolResult }) => {
      refusals.push(toolResult);
      return answer(
        toolUse('mcp__postern-inbox__send_message', { channel_id: 'local:desk', text: 'At nine.' }),
      );
    },
    () => answer(toolUse('mcp__postern-inbox__mark_read', { message_ids: [envelope.id] })),
    () => answer(text('Ana has her answer.')),
  );
  await start(way);
  const { envelope } = await post(hub, 'desk', ana, 'When does the shop open?');
  await expect.poll(() => unreadOf(hub, 'assistant', 'desk'), { timeout: 60_000 }).toEqual([]);
  await api.request(5);

  // The CLI puts a placeholder into the list for tools whose schemas it leaves out at first.
  expect(offered.filter((name) => name !== 'DeferredToolPlaceholder').sort()).toEqual(tools);
  expect(refusals).toMatchObject([{ isError: true }, { isError: true }]);
  expect(JSON.stringify(refusals)).not.toContain(hub.adminKey);
  expect((await saidIn(hub, 'desk')).map((message) => message.text)).toEqual([
    'When does the shop open?',
    'At nine.',
  ]);
  api.verify();
});
