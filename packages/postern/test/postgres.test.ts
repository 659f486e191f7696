import { freshPlace } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { eventually, type RunningHub, run, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 90_000;

/** Both processes must know the secrets; on several machines they come from the environment. */
const SECRETS = {
  POSTERN_ADMIN_KEY: 'an-operator-key-nobody-guesses-45',
  AMC_BEARER_TOKEN: 'an-inbox-token-nobody-guesses-46',
};

async function environment(): Promise<Record<string, string>> {
  const place = await freshPlace('postgres');
  return { ...SECRETS, POSTERN_DATABASE_URL: 'url' in place ? place.url : '' };
}

const asAdmin = { as: 'nobody', headers: { authorization: `Bearer ${SECRETS.POSTERN_ADMIN_KEY}` } } as const;
const asAgent = {
  as: 'nobody',
  headers: { authorization: `Bearer ${SECRETS.AMC_BEARER_TOKEN}`, 'x-agent-id': 'scout' },
} as const;

interface Listed {
  readonly messages: readonly { readonly id: string; readonly text: string }[];
}

async function unread(hub: RunningHub, query = ''): Promise<Listed['messages']> {
  const { body } = await hub.request(`/messages/unread${query}`, asAgent);
  return (body as unknown as Listed).messages;
}

test('two processes on one database share people, messages and logins, and wake each other', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const shared = await environment();
  // At the same time, so that both find the schema missing.
  const [one, two] = await Promise.all([
    startHub({ folder, environment: { ...shared, POSTERN_DATA_DIR: `${folder}/one` } }),
    startHub({ folder, environment: { ...shared, POSTERN_DATA_DIR: `${folder}/two` } }),
  ]);
  await one.request('/allowlist/local/anna', { ...asAdmin, method: 'PUT', body: {} });
  await two.request('/local/api/channels', {
    ...asAdmin,
    method: 'POST',
    body: { name: 'desk', type: 'group' },
  });
  const say = (hub: RunningHub, text: string) =>
    hub.request('/local/api/messages', {
      ...asAdmin,
      method: 'POST',
      body: { channel_id: 'local:desk', user: { id: 'anna', name: 'Anna' }, text },
    });

  const waiting = unread(two, '?wait=60');
  expect((await say(one, 'first')).status).toBe(201);
  expect((await waiting).map((message) => message.text)).toEqual(['first']);

  await Promise.all(
    Array.from({ length: 20 }, (_, index) => say(index % 2 === 0 ? one : two, `more ${index}`)),
  );
  const seen = await eventually(async () => {
    const messages = await unread(one, '?limit=100');
    return messages.length === 21 && messages;
  });
  expect(new Set(seen.map((message) => message.text)).size).toBe(21);
  expect(await unread(two, '?limit=100')).toEqual(
    seen.map((message) => expect.objectContaining({ id: message.id, text: message.text })),
  );

  const metrics = String((await two.request('/metrics', asAdmin)).body.text);
  expect(metrics).toMatch(/^postern_inbox_messages_total\{source="local"\} 21$/m);

  const link = await one.request('/console/api/login-links', { ...asAdmin, method: 'POST', body: {} });
  const token = String(link.body.url).split('token=')[1];
  const logIn = { as: 'nobody', method: 'POST', body: { token } } as const;
  expect((await two.request('/console/api/login', logIn)).status).toBe(204);

  // The one that works for the platform dies; the other takes over.
  one.child.kill('SIGKILL');
  await one.ended;
  expect((await say(two, 'last')).status).toBe(201);
  await eventually(async () => (await unread(two, '?limit=100')).some((message) => message.text === 'last'));
  two.child.kill('SIGTERM');
  expect((await two.ended).code).toBe(0);
});

test('operator commands work beside the server; a backup says what it covers', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const shared = await environment();
  const hub = await startHub({ folder, environment: shared });
  const postern = (...args: string[]) => run({ folder, environment: shared, args });
  expect((await postern('allowlist', 'add', 'local', 'anna')).code).toBe(0);
  const { body } = await hub.request('/allowlist', asAdmin);
  expect(body.entries).toEqual([expect.objectContaining({ sender_id: 'anna' })]);
  const doctor = await postern('doctor');
  expect([doctor.code, doctor.stdout]).toEqual([
    0,
    expect.stringMatching(/^ok +database: PostgreSQL, up to date$/m),
  ]);
  const backup = await postern('backup', 'saved.tgz');
  expect([backup.code, backup.stdout]).toEqual([0, expect.stringContaining('pg_dump')]);
});

test('a database that cannot be reached ends the start in one line without the password', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const POSTERN_DATABASE_URL = 'postgres://postern:swordfish-and-chips@127.0.0.1:9/none';
  const { code, stdout, stderr } = await run({
    folder,
    args: ['serve'],
    environment: { POSTERN_DATABASE_URL },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^postern: the database 127\.0\.0\.1:9\/none can't be used: .*POSTERN_DATABASE_URL\n$/,
  );
  expect(stderr).not.toContain('swordfish');
});
