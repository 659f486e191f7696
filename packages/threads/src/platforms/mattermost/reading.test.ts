import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { platformOn } from '../../testing/fakes/mattermost/harness.ts';
import type { FakeUser } from '../../testing/fakes/mattermost/model.ts';
import { type FakeMattermost, startFakeMattermost } from '../../testing/fakes/mattermost/server.ts';
import type { Platform } from '../platform.ts';

let server: FakeMattermost;
let platform: Platform;
let ada: FakeUser;

beforeEach(async () => {
  server = await startFakeMattermost();
  platform = platformOn(server);
  ada = server.model.addUser('ada');
  server.channel.members.add(ada.id);
});
afterEach(() => server.stop());

const say = (
  message: string,
  more: { rootId?: string; props?: Record<string, unknown>; type?: string } = {},
) => server.model.createPost(ada, { channelId: server.channel.id, message, ...more });
const read = async (post: { id: string }) => {
  const found = await platform.readPost({ channelId: server.channel.id, postId: post.id });
  if (found === null) throw new Error('there is no such post');
  return found;
};

describe('reading a thread', () => {
  test('gives the newest of one of several pages, though many are of one millisecond', async () => {
    const root = say('root');
    const now = Date.now();
    server.model.now = () => now;
    for (let index = 0; index < 450; index += 1) say(`reply ${index}`, { rootId: root.id });
    server.model.now = () => now + 1;
    say('the last', { rootId: root.id });
    const newest = await platform.readThread(server.channel.id, root.id, 3);
    expect(newest).toHaveLength(3);
    expect(newest.at(-1)?.text).toBe('the last');
    const all = await platform.readThread(server.channel.id, root.id, 1_000);
    expect(new Set(all.map(({ postId }) => postId)).size).toBe(452);
    expect(all[0]?.text).toBe('root');
  });

  test('gives nothing of a thread that is gone, or of another channel', async () => {
    const root = say('root');
    expect(await platform.readThread(server.model.addChannel('other').id, root.id, 5)).toEqual([]);
    server.model.deletePost(ada, root.id);
    expect(await platform.readThread(server.channel.id, root.id, 5)).toEqual([]);
  });
});

describe('reading a channel', () => {
  test('goes through pages of posts of one millisecond and leaves none out', async () => {
    server.model.settings.pageSize = 10;
    const now = Date.now();
    for (let index = 0; index < 45; index += 1) {
      server.model.now = () => now + Math.floor(index / 4);
      say(`post ${index}`);
    }
    const all = await platform.readChannel(server.channel.id, 100);
    expect(new Set(all.map(({ text }) => text)).size).toBe(45);
    expect(all.map(({ createdMs }) => createdMs)).toEqual(all.map(({ createdMs }) => createdMs).sort());
  });

  test('of a private channel without the bot is refused', async () => {
    const closed = server.model.addChannel('closed', 'P', [ada.id]);
    await expect(platform.readChannel(closed.id, 5)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await platform.channel(closed.id)).toBeNull();
  });
});

describe('who wrote a post', () => {
  test('is a webhook and not the person who made it', async () => {
    const post = await read(say('deploy', { props: { from_webhook: 'true', override_username: 'ci' } }));
    expect(post.author).toEqual({ id: `webhook:${ada.id}`, name: 'ci', isBot: true });
  });

  test('is a bot by the account, or by what the server says of the post', async () => {
    const bot = server.model.addUser('helper', { isBot: true });
    server.channel.members.add(bot.id);
    const byAccount = server.model.createPost(bot, { channelId: server.channel.id, message: 'hi' });
    expect((await read(byAccount)).author).toEqual({ id: bot.id, name: 'helper', isBot: true });
    expect((await read(say('hi', { props: { from_plugin: 'true' } }))).author.isBot).toBe(true);
    expect((await read(say('hi'))).author).toEqual({ id: ada.id, name: 'ada', isBot: false });
  });

  test('a notice of the system is marked as such', async () => {
    expect((await read(say('ada joined', { type: 'system_join_channel' }))).isSystem).toBe(true);
    expect((await read(say('*waves*', { type: 'me' }))).isSystem).toBe(false);
  });
});

describe('mentions', () => {
  test('are found by name, in any case, without the full stop behind them', async () => {
    const dot = server.model.addUser('dot.');
    const { mentions } = await read(say('Hey @Ada, ask @ada. or @dot. (not @nobody-here or me@ada.example)'));
    expect(mentions).toEqual([
      { text: '@Ada', personId: ada.id },
      { text: '@ada', personId: ada.id },
      { text: '@dot.', personId: dot.id },
      { text: '@nobody-here', personId: null },
    ]);
  });

  test('in code, and of everybody, are none', async () => {
    const { mentions } = await read(say('`@ada`\n```\n@ada\n```\n@all @channel @here'));
    expect(mentions).toEqual([]);
  });
});

describe('membership', () => {
  test('is looked up in the whole list where a server does not know the question', async () => {
    for (let index = 0; index < 450; index += 1)
      server.channel.members.add(server.model.addUser(`m${index}`).id);
    const zoe = server.model.addUser('zoe');
    server.channel.members.add(zoe.id);
    server.fail('readMember', { kind: 'status', status: 404 }, 2);
    expect(await platform.isMember(server.channel.id, zoe.id)).toBe(true);
    expect(await platform.isMember(server.channel.id, server.model.addUser('stranger').id)).toBe(false);
  });
});

describe('finding someone', () => {
  test('takes an id before a name that looks like it', async () => {
    server.model.addUser(ada.id);
    expect((await platform.findPerson(ada.id))?.name).toBe('ada');
    expect((await platform.findPerson(' @ADA '))?.id).toBe(ada.id);
  });

  test('does not find who has left', async () => {
    ada.delete_at = 1;
    expect(await platform.findPerson('ada')).toBeNull();
    expect((await platform.person(ada.id))?.name).toBe('ada');
  });

  test('asks for nothing but names', async () => {
    expect(await platform.findPerson('../posts')).toBeNull();
    expect(server.requests.filter(({ url }) => url.includes('posts'))).toEqual([]);
  });
});

describe('files', () => {
  test('are sent with their size, and are not kept when they changed on the way', async () => {
    const file = {
      channelId: server.channel.id,
      threadId: null,
      name: 'naïve "report".txt',
      mime: 'text/plain',
      caption: 'here',
    };
    const chunks = [Buffer.from('some '), Buffer.from('text')];
    async function* content() {
      yield* chunks;
    }
    const ref = await platform.upload({ ...file, sizeBytes: 9, content: content() });
    const [stored] = [...server.model.files.values()];
    expect(stored).toMatchObject({ name: 'naïve "report".txt', size: 9 });
    expect(server.model.post(ref.postId)).toMatchObject({ message: 'here', file_ids: [stored?.id] });
    const upload = server.requests.find(({ name }) => name === 'upload');
    expect(Number(upload?.headers['content-length'])).toBeGreaterThan(9);
    await expect(platform.upload({ ...file, sizeBytes: 8, content: content() })).rejects.toMatchObject({
      code: 'refused',
    });
    expect(server.model.files.size).toBe(1);
  });

  test('are cut off at the cap, whatever size the server told', async () => {
    const stored = server.model.addFile(ada, 'big.bin', 'application/octet-stream', Buffer.alloc(5_000));
    const file = { id: stored.id, name: 'big.bin', mime: '', sizeBytes: 10 };
    await expect(platform.download(file, { maxBytes: 4_999 })).rejects.toMatchObject({ code: 'too_large' });
    expect((await platform.download(file, { maxBytes: 5_000 })).length).toBe(5_000);
  });
});

describe('a search', () => {
  test('is made in the team of the channel and newest first', async () => {
    const now = Date.now();
    for (const [index, text] of ['red apple', 'green apple', 'red pear'].entries()) {
      server.model.now = () => now + index;
      say(text);
    }
    const found = await platform.search('red', 10);
    expect(found.map(({ text }) => text)).toEqual(['red pear', 'red apple']);
    expect(server.requests.at(-1)?.url ?? '').not.toContain('red');
  });
});
