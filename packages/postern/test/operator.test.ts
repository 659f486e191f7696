import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ended, run, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 90_000;

/** The operator's commands on one folder, as the shell sees them. */
function operator(folder: string, environment: Record<string, string> = {}) {
  return (...args: string[]): Promise<Ended> => run({ folder, environment, args });
}

interface Allowlist {
  readonly entries: readonly Record<string, unknown>[];
}

test.each([['while a server runs'], ['without a server']])(
  'the allowlist is kept %s',
  { timeout: TIMEOUT },
  async (when) => {
    const folder = await temporaryFolder();
    if (when === 'while a server runs') await startHub({ folder });
    const postern = operator(folder);

    expect((await postern('allowlist')).stdout).toContain('Nobody is on the allowlist');
    const added = await postern(
      'allow',
      'add',
      'local',
      'anna+1@x',
      '--name',
      'Anna',
      '--person',
      'p1',
      '--release',
    );
    expect([added.code, added.stdout, added.stderr]).toEqual([
      0,
      'local/anna+1@x is on the allowlist.\n',
      '',
    ]);
    const listed = JSON.parse((await postern('allowlist', 'list', '--json')).stdout) as Allowlist;
    expect(listed.entries).toEqual([
      {
        source: 'local',
        sender_id: 'anna+1@x',
        display_name: 'Anna',
        person_id: 'p1',
        created_at: expect.any(String),
      },
    ]);
    expect((await postern('allowlist')).stdout).toMatch(
      /^SOURCE +SENDER_ID +NAME +PERSON +SINCE\nlocal +anna\+1@x +Anna +p1 +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
    );
    expect((await postern('allowlist', 'remove', 'local', 'anna+1@x')).code).toBe(0);
    const again = await postern('allowlist', 'remove', 'local', 'anna+1@x');
    expect([again.code, again.stderr]).toEqual([1, 'postern: local/anna+1@x is not on the allowlist.\n']);
    const named = await postern('allowlist', 'add', 'discord', 'olga');
    expect([named.code, named.stderr]).toEqual([
      0,
      expect.stringMatching(/^It lets nobody in: olga is no id/),
    ]);
    const strange = await postern('allowlist', 'add', 'telegram', 'x');
    expect([strange.code, strange.stderr]).toEqual([1, expect.stringContaining('source')]);
  },
);

test('the allowlist is imported from TOML and YAML, whole or not at all', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  await startHub({ folder });
  const postern = operator(folder);
  await writeFile(
    join(folder, 'people.toml'),
    '[[entries]]\nsource = "discord"\nsender_id = "123456789012345678"\ndisplay_name = "Dora"\n',
  );
  await writeFile(join(folder, 'people.yaml'), 'entries:\n  - { source: local, sender_id: emil }\n');
  await writeFile(
    join(folder, 'bad.yaml'),
    'entries:\n  - { source: local, sender_id: frida }\n  - { source: discord, sender_id: 12345 }\n',
  );
  expect((await postern('allowlist', 'import', 'people.toml')).stdout).toBe('1 entry is on the allowlist.\n');
  expect((await postern('allowlist', 'import', 'people.yaml')).code).toBe(0);
  const bad = await postern('allowlist', 'import', 'bad.yaml');
  expect([bad.code, bad.stderr]).toEqual([
    1,
    expect.stringContaining('bad.yaml: entry 2: sender_id: must be a text'),
  ]);
  const { entries } = JSON.parse((await postern('allowlist', '--json')).stdout) as Allowlist;
  expect(entries.map((entry) => entry.sender_id)).toEqual(['123456789012345678', 'emil']);
});

test('a token is shown once, works for its agent, and ends when revoked', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const postern = operator(folder);
  const made = await postern('agents', 'tokens', 'create', 'scout', '--scopes', 'read', '--name', 'laptop');
  const token = made.stdout.trim();
  expect([made.code, token]).toEqual([0, expect.stringMatching(/^\S{24,}$/)]);
  const ask = () =>
    hub.request('/messages/unread', { as: 'nobody', headers: { authorization: `Bearer ${token}` } });
  expect((await ask()).status).toBe(200);
  const listed = await postern('agents', 'tokens', '--json');
  expect(listed.stdout).not.toContain(token);
  const { tokens } = JSON.parse(listed.stdout) as {
    tokens: { token_id: string; agent_id: string; name: string }[];
  };
  expect(tokens).toEqual([expect.objectContaining({ agent_id: 'scout', name: 'laptop' })]);
  expect((await postern('agents', 'tokens', 'revoke', tokens[0]?.token_id ?? '')).code).toBe(0);
  expect((await ask()).status).toBe(401);
  expect((await postern('agents')).code).toBe(0);
  expect((await postern('pairing')).stdout).toBe('Nobody waits for approval.\n');
  expect((await postern('pairing', 'approve', 'ABCDEFGH')).code).toBe(1);
});

test('login makes a link that opens the console once', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  const { code, stdout, stderr } = await operator(folder)('login');
  expect(stderr).toMatch(/^It opens the console once, until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n$/);
  expect([code, stdout]).toEqual([0, expect.stringMatching(`^${hub.url}/console/login#token=\\S+\n$`)]);
  const token = stdout.trim().split('token=')[1];
  const logIn = () => hub.request('/console/api/login', { method: 'POST', as: 'nobody', body: { token } });
  expect([(await logIn()).status, (await logIn()).status]).toEqual([204, 401]);
});

test('a server with another admin key is told apart from one that does not answer', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  await startHub({ folder, environment: { POSTERN_ADMIN_KEY: 'an-operator-key-nobody-guesses-43' } });
  const without = await operator(folder)('agents');
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('set POSTERN_ADMIN_KEY')]);
  const other = await operator(folder, { POSTERN_ADMIN_KEY: 'another-key-that-nobody-guesses-44' })('agents');
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('another admin key')]);
});

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly { check: string; status: string; message: string }[];
}

test('doctor is content with a fresh installation, a running server, and a missing agent CLI', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const postern = operator(folder, { CLAUDE_PATH: '/nowhere/claude' });
  const statuses = ({ stdout }: Ended) =>
    Object.fromEntries((JSON.parse(stdout) as Doctor).checks.map(({ check, status }) => [check, status]));

  const before = await postern('doctor', '--json');
  expect([before.code, statuses(before)]).toMatchObject([
    0,
    {
      node: 'ok',
      config: 'ok',
      data_folder: 'ok',
      secrets: 'ok',
      database: 'ok',
      port: 'ok',
      agent_cli: 'warning',
    },
  ]);
  await startHub({ folder });
  const running = await postern('doctor', '--json');
  expect([running.code, statuses(running)]).toMatchObject([
    0,
    { database: 'ok', server: 'ok', 'service.inbox': 'ok', 'connector.local': 'ok' },
  ]);
  expect((await postern('doctor')).stdout).toMatch(/^warning +agent_cli: .*\n +-> /m);
});

test('doctor finds what is wrong, says how to mend it, and ends with 1', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder });
  hub.child.kill('SIGTERM');
  await hub.ended;
  await writeFile(join(hub.dataDir, 'secrets/admin-key'), 'changeme\n');
  await chmod(join(hub.dataDir, 'secrets/admin-key'), 0o644);
  await writeFile(join(hub.dataDir, 'postern.db'), 'this is no database at all');
  const { code, stdout } = await operator(folder)('doctor');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED +data_folder: .*admin-key.* can be read by others\n +-> Run chmod/m);
  expect(stdout).toMatch(/^FAILED +secrets: .*found a secret of 8 characters/m);
  expect(stdout).toMatch(/^FAILED +database: /m);
  expect(stdout).not.toContain('changeme');
  const wrong = await operator(folder, { POSTERN_PORT: 'http' })('doctor');
  expect([wrong.code, wrong.stdout]).toEqual([
    1,
    expect.stringMatching(/^FAILED +config: environment: POSTERN_PORT.*\n +-> Correct or remove it$/m),
  ]);
  await writeFile(join(folder, 'postern.yaml'), `publicUrl: \${NOWHERE}\n`);
  expect((await operator(folder)('doctor')).stdout).toMatch(
    /^FAILED +config: postern.yaml:1: publicUrl: .*NOWHERE_FILE is set\n +-> Set NOWHERE where Postern is started/m,
  );
});

test('config check tells all problems; serve stops at them with one line', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const postern = operator(folder);
  expect((await postern('config', 'check')).stdout).toContain('The configuration is good');
  await writeFile(join(folder, 'postern.yaml'), 'host: 1\nlogLevel: loud\n');
  const check = await postern('config', 'check');
  expect([check.code, check.stderr.trim().split('\n').length]).toEqual([1, 2]);
  const serve = await postern('serve');
  expect([serve.code, serve.stdout, serve.stderr.trim().split('\n')]).toEqual([
    1,
    '',
    [
      'postern: postern.yaml:1: host: found 1; accepted: an address or name to listen on, without a port (and 1 more: postern config check lists them)',
    ],
  ]);
});

test('what a service reads from the environment is not asked of commands on the hub that runs', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'postern.yaml'),
    `inbox:\n  webhooks:\n    - { url: "https://example.org/hook", secrets: ["\${HOOK_SECRET}"] }\n`,
  );
  const secret = `whsec_${Buffer.from('a secret of twenty-four bytes or more').toString('base64')}`;
  const postern = operator(folder);
  const unset = `postern.yaml:3: inbox.webhooks.0.secrets.0: found \${HOOK_SECRET}, and neither HOOK_SECRET`;
  // Nobody runs: what this command did, the hub would do in its place, webhooks too.
  expect(await postern('allowlist', 'add', 'local', 'anna')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(unset),
  });
  await startHub({ folder, environment: { HOOK_SECRET: secret } });
  expect(await postern('allowlist', 'add', 'local', 'anna')).toMatchObject({ code: 0, stderr: '' });
  expect((await postern('login')).stdout).toContain('/console/login#token=');
  expect((await postern('backup', 'all.tar.gz')).code).toBe(0);
  expect((await postern('audit', 'verify')).code).toBe(0);
});

test('a service is installed with what it reads, and taken away without it', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'token'), 'abc.def.ghi\n');
  await writeFile(
    join(folder, 'postern.yaml'),
    `inbox:\n  connectors: { discord: { token: "\${DISCORD_TOKEN}" } }\n`,
  );
  const refused = await operator(folder, { DISCORD_TOKEN: 'abc.def.ghi' })('service', 'install');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('DISCORD_TOKEN is set in this shell, where a service does not see it.');

  const installed = await operator(folder, { DISCORD_TOKEN_FILE: 'token' })('service', 'install');
  const file = /^Written: (.+)$/m.exec(installed.stdout)?.[1] ?? '';
  const unit = await readFile(file, 'utf8');
  for (const text of [`${folder}/token`, 'DISCORD_TOKEN_FILE', `${folder}/data`, `${folder}/postern.yaml`])
    expect(unit).toContain(text);
  expect(unit).not.toContain('abc.def.ghi');

  const removed = await operator(folder)('service', 'remove');
  expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(`Removed: ${file}\n`)]);
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});
