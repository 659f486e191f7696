import { describe, expect, test } from 'vitest';
import { run, startHub, temporaryFolder } from './hub-process.ts';
import { openTestHub } from './open-hub.ts';

const TIMEOUT = 90_000;

describe('admin keys', () => {
  async function start() {
    const hub = await openTestHub();
    const call = async (secret: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const headers = { authorization: `Bearer ${secret}`, host: 'gate.example' };
      const answer = await hub.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
      return { status: answer.statusCode, body: answer.body };
    };
    return { call, bootstrap: hub.secrets.adminKey.reveal() };
  }

  /** What an admin key opens, in every service. */
  const doors = ['/api/v1/projects', '/api/v1/admin-keys', '/allowlist', '/local/api/channels', '/metrics'];

  test('open every service, whichever they are, until they are revoked', async () => {
    const { call, bootstrap } = await start();
    const made = JSON.parse((await call(bootstrap, 'POST', '/api/v1/admin-keys', { name: 'second' })).body);
    for (const url of doors) {
      for (const secret of [bootstrap, made.secret])
        expect([url, (await call(secret, 'GET', url)).status]).toEqual([url, 200]);
    }
    expect((await call(made.secret, 'DELETE', '/api/v1/admin-keys/bootstrap')).status).toBe(200);
    for (const url of doors) {
      expect([url, (await call(bootstrap, 'GET', url)).status]).toEqual([url, 401]);
      expect([url, (await call(made.secret, 'GET', url)).status]).toEqual([url, 200]);
    }
  });

  test('are not API keys, which open the campaigns alone', async () => {
    const { call, bootstrap } = await start();
    const project = JSON.parse(
      (await call(bootstrap, 'POST', '/api/v1/projects', { name: 'P', slug: 'pp' })).body,
    );
    const scopes = ['projects:read', 'keys:write'];
    const body = { project_id: project.id, name: 'k', scopes };
    const { secret } = JSON.parse((await call(bootstrap, 'POST', '/api/v1/api-keys', body)).body);
    expect((await call(secret, 'GET', '/api/v1/projects')).status).toBe(200);
    for (const url of doors.slice(1)) expect((await call(secret, 'GET', url)).status).toBeGreaterThan(400);
  });

  test('open no route of the agents', async () => {
    const { call, bootstrap } = await start();
    expect((await call(bootstrap, 'GET', '/messages/unread')).status).toBe(403);
  });
});

test.each([['while a server runs'], ['without a server']])(
  'postern keys makes, lists and revokes keys %s',
  { timeout: TIMEOUT },
  async (when) => {
    const folder = await temporaryFolder();
    if (when === 'while a server runs') await startHub({ folder });
    const postern = (...args: string[]) => run({ folder, args });

    const made = await postern('keys', 'create', 'night shift');
    expect([made.code, made.stdout, made.stderr]).toEqual([
      0,
      expect.stringMatching(/^pst_adm_[\w-]{43}\n$/),
      expect.stringMatching(
        /^Key key_\w{26} \(an admin key, which may do everything in every project\); its secret is not shown again:\n$/,
      ),
    ]);
    const [, keyId = ''] = /(key_\w{26})/.exec(made.stderr) ?? [];
    const listed = JSON.parse((await postern('keys', '--json')).stdout) as { keys: { id: string }[] };
    expect(listed.keys.map(({ id }) => id)).toEqual(['bootstrap', keyId]);
    expect((await postern('keys', 'list')).stdout).toMatch(/^KEY_ID +NAME +SECRET +SCOPES/);
    const revoked = await postern('keys', 'revoke', keyId);
    expect([revoked.code, revoked.stdout]).toEqual([
      0,
      expect.stringContaining('Revoked the admin key "night shift"'),
    ]);
    const last = await postern('keys', 'revoke', 'bootstrap');
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last admin key')]);
    const confused = await postern('keys', 'create', 'x', '--scopes', 'lists:read');
    expect([confused.code, confused.stderr]).toEqual([2, expect.stringContaining('--project')]);
  },
);

test('postern keys takes the slug of a project for its id', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const postern = (...args: string[]) => run({ folder, args });
  const body = { name: 'News', slug: 'news' };
  const { id } = (await hub.request('/api/v1/projects', { method: 'POST', body })).body;
  const made = await postern('keys', 'create', 'k', '--project', 'news', '--scopes', 'lists:read');
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^pst_\S+\n$/)]);
  const [, keyId = ''] = /(key_\w{26})/.exec(made.stderr) ?? [];
  for (const project of [String(id), 'news']) {
    const listed = JSON.parse((await postern('keys', '--project', project, '--json')).stdout);
    expect(listed.keys.map((key: { id: string }) => key.id)).toEqual([keyId]);
  }
  expect((await postern('keys', 'revoke', keyId, '--project', 'news')).code).toBe(0);
  const unknown = await postern('keys', '--project', 'olds');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('"olds"')]);
});

test('whoever holds the data folder is the operator, also when the bootstrap key is revoked', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const postern = (...args: string[]) => run({ folder, args });
  await postern('keys', 'create', 'second');
  expect((await postern('keys', 'revoke', 'bootstrap')).code).toBe(0);
  expect((await postern('keys')).stdout).toMatch(/bootstrap .* revoked /);
  expect((await postern('keys', 'create', 'third')).code).toBe(0);
});
