import { expect, test } from 'vitest';
import type { Hub } from '../src/hub/hub.ts';
import { openTestHub } from './open-hub.ts';

const HOST = { host: 'gate.example' };
const OWN_PAGE = { ...HOST, origin: 'https://gate.example', 'sec-fetch-site': 'same-origin' };

interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

async function ask(hub: Hub, url: string, { method = 'GET', headers = HOST, body }: Ask = {}) {
  return hub.app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
}

const asAdmin = (hub: Hub) => ({ ...HOST, authorization: `Bearer ${hub.secrets.adminKey.reveal()}` });

async function newToken(hub: Hub): Promise<string> {
  const answer = await ask(hub, '/console/api/login-links', {
    method: 'POST',
    headers: asAdmin(hub),
    body: {},
  });
  const link = /^https:\/\/gate\.example\/console\/login#token=(pst_login_[\w-]{43})$/.exec(
    answer.json().url,
  );
  return link?.[1] ?? 'no link';
}

async function logIn(hub: Hub): Promise<string> {
  const answer = await ask(hub, '/console/api/login', {
    method: 'POST',
    headers: OWN_PAGE,
    body: { token: await newToken(hub) },
  });
  expect(answer.statusCode).toBe(204);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

test('a link becomes a cookie that only the browser holds and only https carries', async () => {
  const hub = await openTestHub();
  const token = await newToken(hub);
  const answer = await ask(hub, '/console/api/login', { method: 'POST', headers: OWN_PAGE, body: { token } });
  expect([answer.statusCode, answer.body]).toEqual([204, '']);
  expect(answer.headers['set-cookie']).toMatch(
    /^postern_session=pst_session_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=1209600; Secure$/,
  );
  const again = await ask(hub, '/console/api/login', { method: 'POST', headers: OWN_PAGE, body: { token } });
  expect([again.statusCode, again.json().code]).toEqual([401, 'unauthorized']);
});

test('without https the cookie is not kept to it', async () => {
  const hub = await openTestHub({ POSTERN_PUBLIC_URL: 'http://gate.example' });
  const made = await ask(hub, '/console/api/login-links', {
    method: 'POST',
    headers: asAdmin(hub),
    body: {},
  });
  const token = String(made.json().url).split('token=')[1];
  const headers = { ...HOST, origin: 'http://gate.example' };
  const answer = await ask(hub, '/console/api/login', { method: 'POST', headers, body: { token } });
  expect(answer.headers['set-cookie']).not.toContain('Secure');
});

test('a session shows what runs, and ends with the log-out', async () => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  const session = await ask(hub, '/console/api/session', { headers: { ...HOST, cookie } });
  expect([session.statusCode, session.json()]).toEqual([
    200,
    {
      version: expect.any(String),
      public_url: 'https://gate.example',
      services: { inbox: true, threads: false, campaigns: true },
      inbox_command: [process.execPath, expect.stringMatching(/postern\.js$/), 'mcp', 'inbox'],
    },
  ]);
  const out = await ask(hub, '/console/api/logout', { method: 'POST', headers: { ...OWN_PAGE, cookie } });
  expect([out.statusCode, out.headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  expect((await ask(hub, '/console/api/session', { headers: { ...HOST, cookie } })).statusCode).toBe(401);
});

test('a session acts as the operator in every service, and as no agent', async () => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  for (const path of [
    '/channels',
    '/agents',
    '/allowlist',
    '/messages/quarantine',
    '/local/api/channels',
    '/metrics',
  ]) {
    expect([path, (await ask(hub, path, { headers: { ...HOST, cookie } })).statusCode]).toEqual([path, 200]);
  }
  const headers = { ...HOST, cookie, 'x-agent-id': 'a' };
  expect((await ask(hub, '/messages/unread', { headers })).statusCode).toBe(403);
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect(
    (await ask(hub, '/mcp/inbox', { method: 'POST', headers: { ...OWN_PAGE, cookie }, body: rpc }))
      .statusCode,
  ).toBe(401);
});

const CHANGES: readonly [string, Ask][] = [
  ['/allowlist/local/eve', { method: 'PUT', body: {} }],
  ['/local/api/channels', { method: 'POST', body: { name: 'x', type: 'group' } }],
  ['/console/api/login-links', { method: 'POST', body: {} }],
  ['/console/api/logout', { method: 'POST' }],
];

const FOREIGN: readonly [string, Record<string, string>][] = [
  ['no Origin', {}],
  ['the Origin of another site', { origin: 'https://evil.example' }],
  ['the Origin of another port', { origin: 'https://gate.example:444' }],
  ['the Origin null', { origin: 'null' }],
  ['our Origin in a cross-site request', { origin: 'https://gate.example', 'sec-fetch-site': 'cross-site' }],
];

test.each(FOREIGN)('a change that rests on the cookie is refused with %s', async (_name, extra) => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  for (const [path, change] of CHANGES) {
    const answer = await ask(hub, path, { ...change, headers: { ...HOST, cookie, ...extra } });
    expect([path, answer.statusCode]).toEqual([path, 403]);
  }
  expect((await ask(hub, '/console/api/session', { headers: { ...HOST, cookie } })).statusCode).toBe(200);
});

test('reading with the cookie is refused across sites', async () => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  const headers = { ...HOST, cookie, 'sec-fetch-site': 'cross-site' };
  expect((await ask(hub, '/allowlist', { headers })).statusCode).toBe(403);
  expect((await ask(hub, '/local/api/channels', { headers })).statusCode).toBe(403);
});

test('the same changes go through from our own page', async () => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  for (const [path, change] of CHANGES) {
    const answer = await ask(hub, path, { ...change, headers: { ...OWN_PAGE, cookie } });
    expect([path, answer.statusCode < 300]).toEqual([path, true]);
  }
});

test('a key in Authorization counts, and a wrong one is not made good by the cookie', async () => {
  const hub = await openTestHub();
  const cookie = await logIn(hub);
  const wrong = { ...OWN_PAGE, cookie, authorization: 'Bearer wrong' };
  expect((await ask(hub, '/local/api/channels', { headers: wrong })).statusCode).toBe(401);
  expect((await ask(hub, '/allowlist', { headers: wrong })).statusCode).toBe(401);
});

test('a strange page cannot log a browser in', async () => {
  const hub = await openTestHub();
  const token = await newToken(hub);
  const headers = { ...HOST, origin: 'https://evil.example' };
  expect(
    (await ask(hub, '/console/api/login', { method: 'POST', headers, body: { token } })).statusCode,
  ).toBe(403);
});
