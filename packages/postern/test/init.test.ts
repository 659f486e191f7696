import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FakeMattermost,
  startFakeMattermost,
} from '../../threads/src/testing/fakes/mattermost/server.ts';
import { type FakeSlack, fakeSlack } from '../../threads/src/testing/fakes/slack/fake-slack.ts';
import { main } from '../src/cli/main.ts';
import { type Ended, LAUNCHER, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 90_000;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const written = () => readFile(join(folder, 'postern.yaml'), 'utf8');

type Answers = readonly (readonly [asked: RegExp, answer: string])[];

/** The command in this very process, which spares each test the start of another. */
async function postern(
  args: readonly string[],
  environment: Record<string, string> = {},
  stdin?: PassThrough,
  heard?: (stdout: string) => void,
): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>> {
  let stdout = '';
  let stderr = '';
  const code = await main(args, {
    environment: { HOME: folder, CLAUDE_PATH: process.execPath, ...environment },
    workingDirectory: folder,
    stdout: {
      write(text) {
        stdout += text;
        heard?.(stdout);
      },
    },
    stderr: {
      write(text) {
        stderr += text;
      },
    },
    ...(stdin === undefined ? {} : { stdin }),
  });
  return { code, stdout, stderr };
}

/** `postern init` with everything in flags and variables. */
const init = (flags: readonly string[], environment: Record<string, string> = {}) =>
  postern(['init', ...flags, '--yes'], environment);

/** Somebody who answers each question as it comes, and is gone after the last. */
function person(answers: Answers, type: (text: string) => void, leave: () => void) {
  const left = [...answers];
  let heard = 0;
  return (stdout: string) => {
    const next = left[0];
    if (next === undefined || !next[0].test(stdout.slice(heard))) return;
    heard = stdout.length;
    left.shift();
    type(`${next[1]}\n`);
    if (left.length === 0) leave();
  };
}

function answering(answers: Answers, flags: readonly string[] = []) {
  const stdin = new PassThrough();
  const listen = person(
    answers,
    (text) => stdin.write(text),
    () => stdin.end(),
  );
  return postern(['init', ...flags], {}, stdin, listen);
}

/** The same as a process of its own, with a pipe for a keyboard. */
function startInit(): { child: ChildProcess; ended: Promise<number | null>; stdout(): string } {
  const child = spawn(process.execPath, [LAUNCHER, 'init'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return {
    child,
    stdout: () => stdout,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('init of the local platform', { timeout: TIMEOUT }, () => {
  const local = ['--platform', 'local', '--channel', 'agents', '--working-dir', '.', '--allow', 'olga'];

  test('needs no account, and leaves a configuration that is good', async () => {
    const { code, stdout } = await init(local);
    expect([code, stdout]).toEqual([0, expect.stringContaining('@postern what is in this folder?')]);
    expect((await stat(join(folder, 'postern.yaml'))).mode & 0o777).toBe(0o600);
    const checked = await postern(['config', 'check']);
    expect([checked.code, checked.stderr]).toEqual([0, '']);
    const doctor = await postern(['doctor', '--json']);
    expect(doctor.stdout).toContain('"platform.local"');
  });

  test('keeps what the file holds, and says when its rights become narrower', async () => {
    await writeFile(join(folder, 'postern.yaml'), '# Ours.\nport: 8090 # free\n', { mode: 0o644 });
    const { code, stdout } = await init(local);
    expect([code, stdout]).toEqual([0, expect.stringContaining('was 644')]);
    expect(await written()).toMatch(/^# Ours\.\nport: 8090 # free\nthreads:\n/);
  });

  test('changes a platform that is there only when told to', async () => {
    await init(local);
    const before = await written();
    const again = await init([...local, '--bot-name', 'helper']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/--replace.*--id/)]);
    expect(await written()).toBe(before);
    const other = await init([...local.slice(0, 3), 'helpers', '--allow', 'olga', '--id', 'second']);
    expect([other.code, await written()]).toEqual([0, expect.stringMatching(/id: local[\s\S]*id: second/)]);
    expect((await init([...local, '--bot-name', 'helper', '--replace'])).code).toBe(0);
    expect((await written()).match(/id: local$/gm)).toHaveLength(1);
    expect(await written()).toContain('botName: helper');
  });

  test.each([
    [['--platform', 'local'], 2, /--allow PEOPLE is missing/],
    [[], 2, /--platform local\|mattermost\|slack is missing/],
    [['--platform', 'irc'], 1, /--platform: It is one of: local, mattermost, slack/],
    [[...local, '--channel=a channel'], 2, /given twice/],
    [['--platform', 'local', '--allow', 'olga', '--working-dir', './data/work'], 1, /data folder/],
    [['--platform', 'local', '--allow', 'olga', '--working-dir', '/'], 1, /too wide/],
    [['--platform', 'local', '--token', 'x'], 2, /--token is no flag/],
  ])('refuses %j with exit code %i, and writes nothing', async (flags, code, reason) => {
    const ended = await init(flags);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(reason)]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('warns of bypass, and lets nobody in where nobody is named', async () => {
    const flags = ['--platform', 'local', '--working-dir', 'work', '--allow', 'nobody'];
    const { code, stdout } = await init([...flags, '--permission-mode', 'bypass']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Warning: with bypass/)]);
    expect(await written()).toMatch(/allowedUsers: \[\]\n.*permissionMode: bypass/);
    expect(await readdir(folder)).toContain('work');
  });

  test('asks again with the reason, and writes nothing before all is answered', async () => {
    const { code, stdout } = await answering([
      [/Where do people write/, 'irc'],
      [/It is one of: local, mattermost, slack\.[\s\S]*Where do people write/, '1'],
      [/Channel/, 'two words'],
      [/the first a letter[\s\S]*Channel/, ''],
      [/Name of the bot/, '@helper'],
      [/Who may start sessions/, 'Olga Åberg, @ben'],
      [/Folder that agents work in/, './data'],
      [/data folder[\s\S]*Folder that agents/, ''],
      [/Permissions/, 'bypass'],
      [/Warning: [\s\S]*Let it/, 'no'],
      [/Permissions/, 'auto'],
      [/Write this to postern\.yaml/, 'y'],
    ]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('@helper what is in this folder?')]);
    expect(await written()).toMatch(
      /workingDir: \.\/work[\s\S]*local:agents[\s\S]*- olga-aberg # Olga Åberg\n +- ben\n +permissionMode: auto/,
    );
  });

  test.each([
    ['at the end of the input', [[/Where do people/, 'local']], /without a terminal, give flags and --yes/],
    [
      'by a no to the last question',
      [
        [/Where do people/, ''],
        [/Channel/, ''],
        [/Name of/, ''],
        [/Who may/, 'olga'],
        [/Folder/, ''],
        [/Permissions/, ''],
        [/Write this/, 'no'],
      ],
      /nothing was written/,
    ],
  ] as const)('leaves nothing behind %s', async (_how, answers, said) => {
    const { code, stderr } = await answering(answers);
    expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('is answered through a pipe too', async () => {
    const { child, ended, stdout } = startInit();
    const answers: Answers = [
      [/Where do/, ''],
      [/Channel/, ''],
      [/Name of/, ''],
      [/Who may/, 'olga'],
      [/Folder/, ''],
      [/Permissions/, ''],
      [/Write this/, ''],
    ];
    const listen = person(
      answers,
      (text) => child.stdin?.write(text),
      () => child.stdin?.end(),
    );
    child.stdout?.on('data', () => listen(stdout()));
    expect(await ended).toBe(0);
    expect(await written()).toContain('channelId: local:agents');
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const { child, ended } = startInit();
    child.stdout?.on('data', (text: string) => {
      if (text.includes('Where do people')) child.kill('SIGINT');
    });
    expect(await ended).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('init of Mattermost', { timeout: TIMEOUT }, () => {
  let server: FakeMattermost;
  let olga: string;
  beforeEach(async () => {
    server = await startFakeMattermost({ subPath: '/chat' });
    olga = server.model.addUser('olga').id;
  });
  afterEach(() => server.stop());

  const flags = () => ['--platform', 'mattermost', '--url', server.url, '--working-dir', 'work'];
  const token = () => ({ MATTERMOST_TOKEN: server.bot.token });

  test('finds channel and people by their names, and writes ids; the token stays in its variable', async () => {
    const { code, stdout } = await init([...flags(), '--channel', '#agents', '--allow', '@Olga'], token());
    expect([code, stdout]).toEqual([0, expect.stringContaining('MATTERMOST_TOKEN set')]);
    const text = await written();
    expect(text).toContain(`channelId: ${server.channel.id} # #agents`);
    expect(text).toContain(`- ${olga} # olga`);
    expect(text).toMatch(/token: \$\{MATTERMOST_TOKEN\}/);
    expect(text + stdout).not.toContain(server.bot.token);
    expect((await postern(['config', 'check'], token())).code).toBe(0);
  });

  test.each([
    ['a link to the channel', () => `${server.url}/${server.model.team.name}/channels/agents`],
    ['its id', () => server.channel.id],
  ])('finds the channel by %s', async (_what, channel) => {
    const { code, stderr } = await init([...flags(), '--channel', channel(), '--allow', olga], token());
    expect([code, stderr]).toEqual([0, '']);
    expect(await written()).toContain(`channelId: ${server.channel.id}`);
  });

  test('takes the token from a file', async () => {
    await writeFile(join(folder, 'token'), `${server.bot.token}\n`);
    const environment = { MATTERMOST_TOKEN_FILE: join(folder, 'token') };
    const { code } = await init([...flags(), '--channel', 'agents', '--allow', olga], environment);
    expect([code, await written()]).toEqual([0, expect.stringMatching(/token: \$\{MATTERMOST_TOKEN\}/)]);
  });

  test.each([
    [
      'a token that is refused',
      { MATTERMOST_TOKEN: 'wrong' },
      ['--channel', 'agents', '--allow', 'olga'],
      /refuses the token.*Make an access token/,
    ],
    ['a channel the bot is not in', {}, ['--channel', 'lounge', '--allow', 'olga'], /\/invite @postern/],
    [
      'somebody who is not there',
      {},
      ['--channel', 'agents', '--allow', 'olgaa'],
      /Nobody here is called olgaa/,
    ],
    ['a bot', {}, ['--channel', 'agents', '--allow', 'postern'], /is a bot/],
  ])('refuses %s with what to do, and writes nothing', async (_what, environment, more, reason) => {
    const { code, stderr } = await init([...flags(), ...more], { ...token(), ...environment });
    expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('says what is wrong and asks only that again', async () => {
    const lounge = server.model.addChannel('lounge', 'O', []);
    const { code, stdout } = await answering([
      [/Where do people/, 'mattermost'],
      [/Address of the server/, 'chat.example.com'],
      [/must begin with https[\s\S]*Address of the server/, server.url.replace('/chat', '/wrong')],
      [/Access token/, 'not-the-token'],
      [/not as a Mattermost server does[\s\S]*What next/, 'url'],
      [/Address of the server/, server.url],
      [/refuses the token[\s\S]*What next/, ''],
      [/Access token/, server.bot.token],
      [/knows the bot as @postern[\s\S]*Channel the bot works in/, lounge.id],
      [/is not a member[\s\S]*What next/, 'channel'],
      [/Channel the bot works in/, 'agents'],
      [/Who may start/, 'olga, olgaa'],
      [/Nobody here is called olgaa[\s\S]*Who may start/, 'olga'],
      [/Folder/, ''],
      [/Permissions/, ''],
      [/Write this/, ''],
    ]);
    expect(code).toBe(0);
    expect(stdout).not.toContain(server.bot.token);
    const text = await written();
    expect(text).toContain(`token: ${server.bot.token}`);
    expect(text).toContain(`channelId: ${server.channel.id} # #agents`);
  });
});

describe('init of Slack', { timeout: TIMEOUT }, () => {
  let slack: FakeSlack;
  let olga: string;
  let channel: string;
  beforeEach(async () => {
    slack = await fakeSlack();
    olga = slack.addUser('olga');
    channel = slack.addChannel('agents');
  });
  afterEach(() => slack.stop());

  const flags = () => ['--platform', 'slack', '--api-url', slack.apiUrl, '--working-dir', 'work'];
  const tokens = () => ({ SLACK_BOT_TOKEN: slack.botToken, SLACK_APP_TOKEN: slack.appToken });

  test.each([
    ['its name', () => '#agents'],
    ['its id', () => channel],
    ['a link', () => `https://postern-test.slack.com/archives/${channel}`],
  ])('finds the channel by %s, and people by their names', async (_what, text) => {
    const { code, stderr } = await init([...flags(), '--channel', text(), '--allow', '@olga'], tokens());
    expect([code, stderr]).toEqual([0, '']);
    const file = await written();
    expect(file).toContain(`channelId: ${channel} # #agents`);
    expect(file).toContain(`- ${olga} # olga`);
    expect(file).not.toContain(slack.botToken);
    expect((await postern(['config', 'check'], tokens())).code).toBe(0);
  });

  test('tells two tokens that were taken for each other', async () => {
    const swapped = { SLACK_BOT_TOKEN: slack.appToken, SLACK_APP_TOKEN: slack.botToken };
    const { code, stderr } = await init([...flags(), '--channel', channel, '--allow', olga], swapped);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/SLACK_BOT_TOKEN: This is the xapp-… token/)]);
    expect(stderr).not.toContain(slack.appToken);
  });

  test('waits for the bot to be invited', async () => {
    const members = slack.world.channels.get(channel)?.members;
    members?.delete(slack.world.bot.id);
    const done = await answering(
      [
        [/Bot User OAuth Token/, slack.botToken],
        [/App-level token/, slack.appToken],
        [/Channel the bot works in/, channel],
        [/is not a member[\s\S]*\/invite @[\s\S]*What next/, 'again'],
        [/is not a member[\s\S]*What next/, 'channel'],
        [/Channel the bot works in/, slack.addChannel('lobby')],
        [/Who may/, olga],
        [/Folder/, ''],
        [/Permissions/, ''],
        [/Write this/, ''],
      ],
      ['--platform', 'slack', '--api-url', slack.apiUrl],
    );
    expect(done.code).toBe(0);
    expect(await written()).toContain('# #lobby');
  });
});

test('problems that the file had before are not in the way, and new ones are', {
  timeout: TIMEOUT,
}, async () => {
  await mkdir(join(folder, 'work'));
  const local = ['--platform', 'local', '--allow', 'olga', '--working-dir', 'work'];
  await writeFile(join(folder, 'postern.yaml'), 'port: http\n');
  expect((await init(local)).code).toBe(0);
  expect(await written()).toContain('port: http');
  await writeFile(join(folder, 'postern.yaml'), 'threads:\n  workingDir: ./data/x\n');
  const { code, stderr } = await init(['--platform', 'local', '--allow', 'olga']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/nothing was written, since .*data folder/)]);
});
