import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FakeMattermost,
  startFakeMattermost,
} from '../../../threads/src/testing/fakes/mattermost/server.ts';
import { type FakeSlack, fakeSlack } from '../../../threads/src/testing/fakes/slack/fake-slack.ts';
import { loadConfig } from '../config/load.ts';
import type { Finding } from './check.ts';
import { checkThreads } from './threads.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-doctor-'));
  await mkdir(join(folder, 'work'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const local = { id: 'chat', type: 'local', channelId: 'local:agents', allowedUsers: ['olga'] };

/** Findings for a `threads:` section, `check: status` with the message behind it. */
async function examine(threads: object | null, checkMs?: number): Promise<Finding[]> {
  const section = threads === null ? {} : { threads: { workingDir: 'work', platforms: [local], ...threads } };
  await writeFile(join(folder, 'postern.yaml'), JSON.stringify(section));
  return checkThreads(loadConfig({ environment: {}, flags: {}, workingDirectory: folder }).config, checkMs);
}

const statuses = (findings: readonly Finding[]) => findings.map(({ check, status }) => `${check}: ${status}`);

const finding = (findings: readonly Finding[], check: string) =>
  findings.find((each) => each.check === check && each.status !== 'ok');

describe('doctor', () => {
  test('has nothing to say where threads are off', async () => {
    expect(await examine(null)).toEqual([]);
  });

  test('is content with a local platform, and says as whom agents run', async () => {
    expect(statuses(await examine({}))).toEqual([
      'threads.working_dir: ok',
      'threads.user: warning',
      'threads.audit: ok',
      'platform.chat: ok',
    ]);
  });

  test.each([
    ['is not there', { workingDir: 'nowhere' }, 'failed', /no folder/],
    ['is a file', { workingDir: 'postern.yaml' }, 'failed', /no folder/],
    ['holds the data folder', { workingDir: '.' }, 'warning', /holds the data folder/],
  ])('minds a working folder that %s', async (_what, threads, status, message) => {
    const found = finding(await examine(threads), 'threads.working_dir');
    expect(found).toMatchObject({ status, message: expect.stringMatching(message) });
  });

  test('minds folders for !cd that are not there', async () => {
    const found = finding(await examine({ allowedDirs: ['nowhere'] }), 'threads.allowed_dirs');
    expect(found).toMatchObject({ status: 'failed', fix: expect.stringContaining('threads.allowedDirs') });
  });

  test.each([
    ['nobody may start', { allowedUsers: [] }, 'platform.chat.people', /nobody can start/],
    ['nothing is asked', { permissionMode: 'bypass' }, 'platform.chat.permission_mode', /bypass/],
    ['nothing is on record', { auditLog: false }, 'threads.audit', /chat/],
  ])('warns where %s', async (_what, changed, check, message) => {
    const findings = await examine({ platforms: [{ ...local, ...changed }] });
    expect(finding(findings, check)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(message),
    });
  });

  test('finds records that are links, or open to others', async () => {
    const audit = join(folder, 'data/audit');
    await mkdir(audit, { recursive: true });
    await writeFile(join(audit, 'chat.jsonl'), '', { mode: 0o600 });
    expect(finding(await examine({}), 'threads.audit')).toBeUndefined();
    await chmod(join(audit, 'chat.jsonl'), 0o644);
    expect(finding(await examine({}), 'threads.audit')?.message).toMatch(/read by others/);
    await rm(join(audit, 'chat.jsonl'));
    await symlink('/dev/null', join(audit, 'chat.jsonl'));
    expect(finding(await examine({}), 'threads.audit')?.message).toMatch(/is a link/);
  });

  test('looks at the accounts of the agent CLI', async () => {
    await writeFile(join(folder, 'key'), 'k', { mode: 0o644 });
    const accounts = [
      { id: 'open', apiKeyFile: 'key' },
      { id: 'gone', apiKeyFile: 'no-key' },
      { id: 'home', home: 'work' },
    ];
    const found = (await examine({ claudeAccounts: accounts })).filter(({ check }) => /account/.test(check));
    expect(statuses(found)).toEqual([
      'threads.account.open: failed',
      'threads.account.gone: failed',
      'threads.account.home: ok',
    ]);
  });
});

describe('doctor on Mattermost', () => {
  let server: FakeMattermost;
  beforeEach(async () => {
    server = await startFakeMattermost();
    server.model.addUser('olga');
  });
  afterEach(() => server.stop());

  const platform = (changed: object = {}) => ({
    id: 'work',
    type: 'mattermost',
    url: server.url,
    token: server.bot.token,
    channelId: server.channel.id,
    allowedUsers: ['olga'],
    ...changed,
  });

  test('is content when a bot can work there', async () => {
    const findings = await examine({ platforms: [platform()] });
    expect(statuses(findings).slice(3)).toEqual(['platform.work: ok']);
  });

  test('names what is wrong and the remedy, and no token', async () => {
    const token = 'wrong-token-wrong-token-wr';
    const findings = await examine({ platforms: [platform({ token })] });
    expect(finding(findings, 'platform.work.token')).toMatchObject({
      status: 'failed',
      message: 'The server refuses the token',
      fix: expect.stringMatching(/^Make an access token/),
    });
    expect(JSON.stringify(findings)).not.toContain(token);
  });

  test('waits for no server that does not answer', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const findings = await examine({ platforms: [platform({ url: `http://127.0.0.1:${port}` })] }, 200);
    expect(finding(findings, 'platform.work.server')).toMatchObject({ status: 'failed' });
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('warns of names that nobody has', async () => {
    const findings = await examine({ platforms: [platform({ allowedUsers: ['olga', '@olgaa'] })] });
    expect(finding(findings, 'platform.work.people')?.message).toMatch(/called @olgaa$/);
  });
});

describe('doctor on Slack', () => {
  let slack: FakeSlack;
  beforeEach(async () => {
    slack = await fakeSlack();
  });
  afterEach(() => slack.stop());

  test('names every scope the bot lacks', async () => {
    const channelId = slack.addChannel('agents');
    const { botToken, appToken, apiUrl } = slack;
    const platform = { id: 'team', type: 'slack', botToken, appToken, apiUrl, channelId, allowedUsers: [] };
    slack.setScopes(['chat:write']);
    const findings = await examine({ platforms: [platform] });
    expect(finding(findings, 'platform.team.scopes')).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/lacks .*reactions:read/),
    });
    expect(statuses(findings)).toContain('platform.team.people: warning');
  });
});
