// Starts the agent CLI for each message that Postern pushes: one at a time in a channel, with the four inbox tools.
// POSTERN_WEBHOOK_SECRET=whsec_… AMC_AGENT_ID=assistant node examples/webhook-receiver.mjs
// On another machine than the hub's, AMC_BASE_URL and AMC_BEARER_TOKEN too; docs/running.md tells more.
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const {
  POSTERN_WEBHOOK_SECRET = '',
  AMC_AGENT_ID = 'assistant',
  PORT = '8090',
  CLAUDE_PATH = 'claude',
} = process.env;
const key = Buffer.from(POSTERN_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length < 24)
  throw new Error('POSTERN_WEBHOOK_SECRET: the secret of inbox.webhooks in postern.yaml is needed');
const postern = fileURLToPath(new URL('../bin/postern.js', import.meta.url));
// The token is left to the environment: what stands here would show in the list of processes.
const inbox = { command: process.execPath, args: [postern, 'mcp', 'inbox'], env: { AMC_AGENT_ID } };
const tools = ['list_unread_messages', 'get_message_context', 'send_message', 'mark_read'];
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SEEN = 10_000;
const lines = new Map(); // The work of each channel, one after the other.
const seen = new Set(); // Deliveries may come twice.

/** Standard Webhooks: HMAC-SHA256 over id, time and the body's bytes, not older than five minutes. */
function isSigned(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': given = '' } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false;
  const right = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return given.split(' ').some((one) => {
    const found = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return found.length === right.length && timingSafeEqual(found, right);
  });
}

/** What people write reaches the agent through its tools alone; of its own tools (files, shell, web) it has none. */
function answer({ id, channel_id }) {
  const config = JSON.stringify({ mcpServers: { 'postern-inbox': inbox } });
  const allowed = tools.map((tool) => `mcp__postern-inbox__${tool}`).join(',');
  const mcp = ['--strict-mcp-config', '--mcp-config', config];
  const args = ['-p', ...mcp, '--setting-sources', '', '--tools', '', '--allowedTools', allowed];
  const options = {
    stdio: ['pipe', 'inherit', 'inherit'],
    cwd: tmpdir(),
    timeout: 300_000,
    killSignal: 'SIGKILL',
  };
  return new Promise((resolve) => {
    const ended = (how) => {
      if (how !== 0) console.error(`${id} stays unread: the agent ended with ${how}`);
      resolve();
    };
    const child = spawn(CLAUDE_PATH, args, options).once('close', ended).once('error', ended);
    child.stdin.on('error', () => {}); // It ended before it read this, and says so by how it ends.
    child.stdin.end(`Message ${id} is new in ${channel_id}. Answer it if it wants an answer; mark it read.`);
  });
}

async function take(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MOST_BYTES) return response.writeHead(413, { connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (request.method !== 'POST' || !isSigned(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end(); // Taken; the agent may take minutes. What is lost here stays unread there.
  const { type, data } = JSON.parse(body);
  if (type !== 'message.received' || seen.has(data.id)) return;
  seen.add(data.id);
  if (seen.size > MOST_SEEN) seen.delete(seen.values().next().value);
  const work = (lines.get(data.channel_id) ?? Promise.resolve()).then(() => answer(data));
  lines.set(data.channel_id, work);
  await work;
  if (lines.get(data.channel_id) === work) lines.delete(data.channel_id);
}

createServer((request, response) => take(request, response).catch(() => response.destroy())).listen(
  Number(PORT),
  '127.0.0.1',
  () => console.log(`Waiting for messages on http://127.0.0.1:${PORT}`),
);
