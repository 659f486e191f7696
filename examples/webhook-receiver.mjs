// Starts the agent CLI for each message that Postern pushes: one at a time in a channel, with the four inbox tools.
// POSTERN_WEBHOOK_SECRET=whsec_… AMC_AGENT_ID=assistant node examples/webhook-receiver.mjs
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
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

function answer(message) {
  const allowed = tools.map((tool) => `mcp__postern-inbox__${tool}`).join(',');
  const config = JSON.stringify({ mcpServers: { 'postern-inbox': inbox } });
  const args = [
    '-p',
    '--strict-mcp-config',
    '--mcp-config',
    config,
    '--setting-sources',
    '',
    '--allowedTools',
    allowed,
  ];
  const child = spawn(CLAUDE_PATH, args, { stdio: ['pipe', 'inherit', 'inherit'], timeout: 300_000 });
  child.stdin.end(
    `Message ${message.id} is new in ${message.channel_id}. Answer it if it wants an answer; mark it read.`,
  );
  return new Promise((resolve) => child.once('close', resolve).once('error', resolve));
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.method !== 'POST' || !isSigned(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end(); // Taken; the agent may take minutes.
  const { type, data } = JSON.parse(body);
  if (type !== 'message.received' || seen.has(data.id)) return;
  seen.add(data.id);
  const before = lines.get(data.channel_id) ?? Promise.resolve();
  lines.set(
    data.channel_id,
    before.then(() => answer(data)),
  );
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Waiting for messages on http://127.0.0.1:${PORT}`));
