import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeMattermost } from '../src/testing/fakes/mattermost/server.ts';
import { fakeSlack } from '../src/testing/fakes/slack/fake-slack.ts';
import { eras, toolsServer } from './tools-server.ts';

/** The tools' server by itself, with a connection to a chat platform of its own. */

const PROMPT = 'permission_prompt';
const bash = { tool_name: 'Bash', input: { command: 'ls -la' } };
const patience = { timeout: 20_000, interval: 10 };

const textOf = (result: { content: unknown }): Record<string, unknown> => {
  const [block] = result.content as { text: string }[];
  return JSON.parse(block?.text ?? '');
};

async function mattermost() {
  const server = await startFakeMattermost({ subPath: '/chat' });
  onTestFinished(() => server.stop());
  const { model, bot, channel } = server;
  const [olga, ann, stan] = ['olga', 'ann', 'stan'].map((name) => model.addUser(name)) as [
    ReturnType<typeof model.addUser>,
    ReturnType<typeof model.addUser>,
    ReturnType<typeof model.addUser>,
  ];
  for (const { id } of [olga, ann, stan]) channel.members.add(id);
  const root = model.createPost(olga, { channelId: channel.id, message: '@postern look around' });
  const workingDir = await mkdtemp(join(tmpdir(), 'alone-'));
  onTestFinished(() => rm(workingDir, { recursive: true, force: true }));
  const env = {
    PLATFORM_TYPE: 'mattermost',
    PLATFORM_URL: server.url,
    PLATFORM_TOKEN: bot.token,
    PLATFORM_CHANNEL_ID: channel.id,
    PLATFORM_THREAD_ID: root.id,
    ALLOWED_USERS: 'ann, nobody',
    SESSION_OWNER: 'olga',
    SESSION_WORKING_DIR: workingDir,
  };
  /** The bot's post that holds the text, with as many reactions of the bot's below it. */
  const question = (text: string, options = 3) =>
    vi.waitUntil(
      () =>
        [...model.posts.values()].find(
          ({ id, user_id, message }) =>
            user_id === bot.id &&
            message.includes(text) &&
            model.reactions.filter(({ post_id }) => post_id === id).length === options,
        ),
      patience,
    );
  return { server, model, bot, channel, olga, ann, stan, root, workingDir, env, question };
}

describe('on Mattermost', () => {
  test.each(eras)('reads the thread and asks its people, to a %s client', async (_, era) => {
    const at = await mattermost();
    const { client } = await toolsServer(at.env, era);
    const read = await client.callTool({ name: 'list_thread', arguments: {} });
    expect(read.structuredContent).toMatchObject({
      ok: true,
      content: expect.stringMatching(new RegExp(`untrusted.*\\n\\[${at.olga.id} olga, .*look around$`, 's')),
    });
    const call = client.callTool({ name: PROMPT, arguments: bash });
    const post = await at.question('ls -la');
    expect(post.root_id).toBe(at.root.id);
    at.model.react(at.stan, post.id, '-1');
    at.model.react(at.ann, post.id, '+1_medium_light_skin_tone');
    const answer = await call;
    expect(textOf(answer)).toEqual({ behavior: 'allow', updatedInput: bash.input });
    expect(answer).not.toHaveProperty('structuredContent');
  });

  test('the owner decides as well, and no one who later takes over an allowed name', async () => {
    const at = await mattermost();
    const { client } = await toolsServer(at.env);
    await client.callTool({ name: 'list_thread', arguments: {} });
    at.ann.username = 'ann-before';
    at.stan.username = 'ann';
    const call = client.callTool({ name: PROMPT, arguments: bash });
    const post = await at.question('ls -la');
    at.model.react(at.stan, post.id, '+1');
    at.model.react(at.olga, post.id, '-1');
    expect(textOf(await call)).toEqual({ behavior: 'deny', message: 'olga said no.' });
  });

  test('a question is answered by what someone writes in the thread', async () => {
    const at = await mattermost();
    const { client } = await toolsServer(at.env);
    const input = {
      questions: [{ question: 'Which?', header: 'W', options: [{ label: 'A' }, { label: 'B' }] }],
    };
    const call = client.callTool({ name: PROMPT, arguments: { tool_name: 'AskUserQuestion', input } });
    await at.question('Which?', 2);
    at.model.createPost(at.olga, { channelId: at.channel.id, rootId: at.root.id, message: 'neither' });
    expect(textOf(await call)).toMatchObject({
      behavior: 'allow',
      updatedInput: { answers: { 'Which?': 'neither' } },
    });
  });

  test('denies what nobody answers in the time there is', async () => {
    const at = await mattermost();
    const { client } = await toolsServer({ ...at.env, PERMISSION_TIMEOUT_MS: '200' });
    const answer = await client.callTool({ name: PROMPT, arguments: bash });
    expect(textOf(answer)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('Nobody answered'),
    });
  });

  test('reads public channels the owner is in, and no others', async () => {
    const at = await mattermost();
    const open = at.model.addChannel('lounge', 'O', [at.bot.id, at.olga.id]);
    const foreign = at.model.addChannel('garden', 'O', [at.bot.id]);
    const closed = at.model.addChannel('board', 'P', [at.bot.id, at.olga.id]);
    at.model.createPost(at.olga, { channelId: open.id, message: 'in the lounge' });
    const { client } = await toolsServer(at.env);
    const read = async (channel_id: string) =>
      textOf(await client.callTool({ name: 'read_channel_history', arguments: { channel_id } }));
    expect(await read(open.id)).toMatchObject({
      ok: true,
      content: expect.stringContaining('in the lounge'),
    });
    expect(await read(foreign.id)).toMatchObject({ ok: false, reason: expect.stringContaining('owner') });
    expect(await read(closed.id)).toMatchObject({ ok: false });
    expect(await read('lounge')).toMatchObject({ ok: false, reason: expect.stringContaining('shape') });
  });

  test('sends a file of the working directory, unless that is turned off', async () => {
    const at = await mattermost();
    const path = join(at.workingDir, 'a.txt');
    await writeFile(path, 'content');
    const { client } = await toolsServer(at.env);
    expect(textOf(await client.callTool({ name: 'send_file', arguments: { path } }))).toMatchObject({
      ok: true,
    });
    expect([...at.model.files.values()].map(({ bytes }) => String(bytes))).toEqual(['content']);
    const { client: other } = await toolsServer({ ...at.env, OUTBOUND_FILES_ENABLED: 'false' });
    expect(textOf(await other.callTool({ name: 'send_file', arguments: { path } }))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('turned off'),
    });
  });
});

describe('on Slack', () => {
  test('reads its channel’s links and asks its people', async () => {
    const slack = await fakeSlack();
    onTestFinished(() => slack.stop());
    const olga = slack.addUser('olga');
    const stan = slack.addUser('stan');
    const channel = slack.addChannel('agents', { members: [slack.world.bot.id, olga, stan] });
    const root = slack.say(olga, channel, 'look around');
    const { client } = await toolsServer({
      PLATFORM_TYPE: 'slack',
      PLATFORM_URL: slack.apiUrl,
      PLATFORM_TOKEN: slack.botToken,
      PLATFORM_APP_TOKEN: slack.appToken,
      PLATFORM_CHANNEL_ID: channel,
      PLATFORM_THREAD_ID: root.ts,
      ALLOWED_USERS: olga,
    });
    const read = textOf(await client.callTool({ name: 'list_thread', arguments: {} }));
    expect(read).toMatchObject({ ok: true, content: expect.stringContaining(`[${olga} olga, `) });
    const link = /https?:\/\/\S+\/archives\/[^\s\]]+/.exec(String(read.content))?.[0] ?? '';
    const linked = textOf(await client.callTool({ name: 'read_post', arguments: { url: `<${link}|this>` } }));
    expect(linked).toMatchObject({ ok: true, content: expect.stringContaining('look around') });
    const foreign = link.replace(/\/\/[^/]+/, '//evil.slack.com');
    expect(textOf(await client.callTool({ name: 'read_post', arguments: { url: foreign } }))).toMatchObject({
      ok: false,
    });
    const call = client.callTool({ name: PROMPT, arguments: bash });
    const post = await vi.waitUntil(
      () =>
        (slack.world.messages.get(channel) ?? []).find(
          ({ user, text, reactions }) =>
            user === slack.world.bot.id && text.includes('ls -la') && reactions.size === 3,
        ),
      patience,
    );
    slack.react(stan, post, '-1');
    slack.react(olga, post, '+1::skin-tone-3');
    expect(textOf(await call)).toEqual({ behavior: 'allow', updatedInput: bash.input });
  });
});

describe('while the platform is away', () => {
  test.each(eras)('opens and lists its tools, to a %s client', async (_, era) => {
    // Takes connections and never answers.
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { client } = await toolsServer(
      {
        PLATFORM_TYPE: 'mattermost',
        PLATFORM_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        PLATFORM_TOKEN: 'token',
        PLATFORM_CHANNEL_ID: 'c'.repeat(26),
      },
      era,
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('send_dm');
  });

  test('a permission is denied, and says why', async () => {
    const at = await mattermost();
    at.server.setOffline(true);
    const { client } = await toolsServer(at.env);
    const answer = await client.callTool({ name: PROMPT, arguments: bash }, { timeout: 120_000 });
    expect(textOf(answer)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('chat platform'),
    });
  }, 120_000);
});
