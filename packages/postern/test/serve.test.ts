import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { preconditionCodes } from '@postern/http';
import { expect, test } from 'vitest';
import { eventually, type RunningHub, run, secret, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 60_000;

test('the first start makes a closed data folder with secrets, and says where they are', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const admin = await secret(hub.dataDir, 'admin-key');
  const bearer = await secret(hub.dataDir, 'amc-bearer-token');
  expect(admin).toMatch(/^pst_admin_[\w-]{43}$/);
  expect(bearer).toMatch(/^pst_inbox_[\w-]{43}$/);
  for (const [path, mode] of [
    ['', 0o700],
    ['secrets', 0o700],
    ['secrets/admin-key', 0o600],
    ['secrets/amc-bearer-token', 0o600],
    ['postern.db', 0o600],
    ['postern.pid', 0o600],
    ['blobs', 0o700],
  ] as const) {
    expect([path, (await stat(join(hub.dataDir, path))).mode & 0o777]).toEqual([path, mode]);
  }
  expect(await readFile(join(hub.dataDir, 'postern.pid'), 'utf8')).toBe(`${hub.pid}\n`);

  const { stdout } = hub.output();
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Postern ready on ${hub.url}`);
  for (const expected of [
    'claude mcp add',
    'mcpServers',
    '[mcp_servers.postern-inbox]',
    join(hub.dataDir, 'secrets'),
  ]) {
    expect(stdout).toContain(expected);
  }
});

test('no secret gets into stdout, the log, argv, readiness or doctor', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const environment = {
    POSTERN_ADMIN_KEY: 'an-operator-key-nobody-guesses-41',
    AMC_BEARER_TOKEN: 'an-inbox-token-nobody-guesses-42',
    POSTERN_LOG_LEVEL: 'trace',
  };
  const hub = await startHub({ folder, environment });
  const asOperator = { authorization: `Bearer ${environment.POSTERN_ADMIN_KEY}` };
  const made = await hub.request('/console/api/login-links', {
    method: 'POST',
    as: 'nobody',
    headers: asOperator,
    body: {},
  });
  expect(made.status).toBe(201);
  await hub.request('/metrics', { as: 'nobody', headers: asOperator });
  await hub.request(`/messages/unread?token=${environment.AMC_BEARER_TOKEN}`, {
    as: 'nobody',
    headers: { authorization: `Bearer ${environment.AMC_BEARER_TOKEN}`, 'x-agent-id': 'a' },
  });
  const readiness = await hub.request('/readyz', { as: 'nobody' });
  const doctor = await run({ folder, environment, args: ['doctor', '--json'] });
  const commandLine = await readFile(`/proc/${hub.pid}/cmdline`, 'utf8').catch(() => '');
  hub.child.kill('SIGTERM');
  const { stdout, stderr } = await hub.ended;
  const seen = [
    stdout,
    stderr,
    commandLine,
    JSON.stringify(readiness.body),
    doctor.stdout,
    doctor.stderr,
  ].join('\n');
  const token = String(made.body.url).split('token=')[1] ?? 'no token';
  for (const hidden of [environment.POSTERN_ADMIN_KEY, environment.AMC_BEARER_TOKEN, token]) {
    expect(seen).not.toContain(hidden);
  }
});

test('a second process on the same folder is refused and told who has it', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const second = await run({ folder, args: ['serve'] });
  expect(second.code).toBe(1);
  expect(second.stderr.trim().split('\n')).toEqual([expect.stringContaining(`process ${hub.pid}`)]);
  expect((await hub.request('/healthz', { as: 'nobody' })).body).toEqual({ status: 'ok' });
});

test('a kill at any moment loses nothing acknowledged, and the next start goes on', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const first = await startHub({ folder });
  await allowAnna(first);
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
  for (const text of texts) expect((await say(first, text)).status).toBe(201);
  first.child.kill('SIGKILL');
  await first.ended;

  const second = await startHub({ folder });
  const unread = await eventually(async () => {
    const { body } = await second.request('/messages/unread?limit=100', { as: 'agent' });
    const messages = body.messages as { text: string }[];
    return messages.length === texts.length && messages;
  });
  expect(unread.map((message) => message.text)).toEqual(texts);
});

test('SIGTERM answers what is in flight and ends with 0', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  await allowAnna(hub);
  const waiting = hub.request('/messages/unread?wait=60', { as: 'agent' });
  await eventually(async () => {
    const { body } = await hub.request('/metrics');
    return /postern_http_requests_running 2/.test(String(body.text));
  });
  const stream = await fetch(`${hub.url}/local/api/events`, {
    headers: { authorization: `Bearer ${await secret(hub.dataDir, 'admin-key')}` },
  });
  hub.child.kill('SIGTERM');
  const answer = await waiting;
  expect([answer.status, answer.body.messages]).toEqual([200, []]);
  await stream.text();
  const ended = await hub.ended;
  expect([ended.code, ended.signal]).toEqual([0, null]);
  await expect(stat(join(hub.dataDir, 'postern.pid'))).rejects.toThrow('ENOENT');
});

test('a second signal ends at once', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  // A request that never comes to its end keeps the first stop waiting.
  const open = await openRequest(hub);
  hub.child.kill('SIGTERM');
  await eventually(async () => hub.output().stderr.includes('"stopping"'));
  hub.child.kill('SIGTERM');
  expect((await hub.ended).code).toBe(143);
  open.destroy();
});

test('a port in use, and an address that is not ours, end in one clear line', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const inUse = await run({ folder, args: ['serve', '--port', String(port)] });
  taken.close();
  expect([inUse.code, lastLine(inUse.stderr)]).toEqual([
    1,
    expect.stringMatching(`port ${port} on 127.0.0.1 is in use; .*POSTERN_PORT`),
  ]);
  const foreign = await run({ folder, args: ['serve', '--host', '192.0.2.1'] });
  expect([foreign.code, lastLine(foreign.stderr)]).toEqual([
    1,
    expect.stringContaining('192.0.2.1 is no address of this machine'),
  ]);
  expect(foreign.stdout).not.toContain('ready');
});

test('each path speaks its dialect, and foreign hosts are refused', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  for (const path of [
    '/messages/nothing/here',
    '/channels/a/b/c/d',
    '/webhooks',
    '/agents/none',
    '/typing',
    '/pairings/x/y/z',
  ]) {
    const { status, body } = await hub.request(path);
    expect([path, status, body.error]).toEqual([
      path,
      status,
      expect.objectContaining({ status, code: expect.any(String) }),
    ]);
    expect([404, 405]).toContain(status);
  }
  for (const path of [
    '/nothing',
    '/messagesx',
    '/local/api/nothing',
    '/api/v1/nothing',
    '/errors/no_such',
    '/mcp/none',
    '/console/api/none',
  ]) {
    const { status, headers, body } = await hub.request(path);
    expect([path, status, headers.get('content-type')]).toEqual([
      path,
      404,
      'application/problem+json; charset=utf-8',
    ]);
    expect(body).toMatchObject({ status: 404, code: 'not_found', type: `${hub.url}/errors/not_found` });
  }
  expect((await hub.request('/messages/unread', { as: 'nobody' })).body).toMatchObject({
    error: { code: 'UNAUTHORIZED' },
  });
  expect((await hub.request('/local/api/channels', { as: 'nobody' })).body).toMatchObject({
    code: 'unauthorized',
  });
  expect((await hub.request('/metrics', { as: 'agent' })).status).toBe(401);
  expect((await hub.request('/mcp/inbox', { as: 'nobody', method: 'POST', body: {} })).status).toBe(401);
  expect(await statusForHost(hub, 'evil.example')).toBe(403);
  expect(await statusForHost(hub, 'localhost:1')).toBe(200);
});

test('health, readiness, metrics and error pages', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const ready = await eventually(async () => {
    const answer = await hub.request('/readyz', { as: 'nobody' });
    const services = answer.body.services as { inbox: { status: string } };
    return services.inbox.status === 'ok' && answer;
  });
  expect([ready.status, ready.body]).toMatchObject([
    200,
    {
      status: 'ready',
      services: {
        database: { status: 'ok', detail: 'sqlite' },
        inbox: { status: 'ok', connectors: { local: { status: 'ok' } } },
        threads: { status: 'off' },
      },
    },
  ]);
  const metrics = String((await hub.request('/metrics')).body.text);
  expect(metrics).toMatch(/^postern_http_requests_total\{method="GET",route="\/readyz",status="200"\} \d+$/m);
  expect(metrics).toMatch(/^postern_connector_up\{connector="local"\} 1$/m);
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  for (const code of ['not_found', 'CHANNEL_NOT_FOUND', 'too_many', ...Object.keys(preconditionCodes)]) {
    const page = await hub.request(`/errors/${code}`, { as: 'nobody' });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body.text).toContain(code);
  }
  const precondition = await hub.request('/errors/precondition_failed', { as: 'nobody' });
  for (const code of Object.keys(preconditionCodes))
    expect(precondition.body.text).toContain(`/errors/${code}"`);
});

test('a folder that others can look into is closed, unless it holds other things', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const open = join(folder, 'open');
  await mkdir(open);
  await chmod(open, 0o755);
  const hub = await startHub({ folder, environment: { POSTERN_DATA_DIR: open } });
  expect((await stat(open)).mode & 0o777).toBe(0o700);
  expect(hub.output().stderr).toContain('its mode is now 700');

  const shared = join(folder, 'shared');
  await mkdir(shared);
  await chmod(shared, 0o755);
  await writeFile(join(shared, 'thesis.txt'), 'mine');
  const refused = await run({ folder, args: ['serve'], environment: { POSTERN_DATA_DIR: shared } });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('holds other things')]);
  expect((await stat(shared)).mode & 0o777).toBe(0o755);
});

test('a database that is none ends the start in one line', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(join(folder, 'data/postern.db'), 'this is no database at all', { mode: 0o600 });
  const { code, stderr } = await run({ folder, args: ['serve'] });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^postern: the database .*postern\.db can't be used: .*\n$/),
  ]);
});

test('listening beyond this machine without https is warned of', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder, args: ['--host', '0.0.0.0', '--public-url', 'http://gate.example'] });
  expect(hub.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  expect(hub.output().stderr).toContain('POSTERN_PUBLIC_URL is not https');
  expect(await statusForHost(hub, 'gate.example')).toBe(200);
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

async function allowAnna(hub: RunningHub): Promise<void> {
  expect((await hub.request('/allowlist/local/anna', { method: 'PUT', body: {} })).status).toBe(200);
  const body = { name: 'desk', type: 'group' };
  expect((await hub.request('/local/api/channels', { method: 'POST', body })).status).toBe(201);
}

function say(hub: RunningHub, text: string) {
  const body = { channel_id: 'local:desk', user: { id: 'anna', name: 'Anna' }, text };
  return hub.request('/local/api/messages', { method: 'POST', body });
}

/** A request whose body never arrives; resolves when the server has it. */
async function openRequest(hub: RunningHub) {
  const { hostname, port } = new URL(hub.url);
  const open = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: '/local/api/channels',
    headers: {
      authorization: `Bearer ${await secret(hub.dataDir, 'admin-key')}`,
      'content-type': 'application/json',
      'content-length': '100',
    },
  });
  open.on('error', () => {});
  open.write('{');
  await eventually(async () => {
    const { body } = await hub.request('/metrics');
    return /postern_http_requests_running 2/.test(String(body.text));
  });
  return open;
}

function statusForHost(hub: RunningHub, host: string): Promise<number> {
  const { port } = new URL(hub.url);
  return new Promise((resolve, reject) => {
    httpRequest({ hostname: '127.0.0.1', port, path: '/healthz', headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
