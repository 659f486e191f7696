import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { platformOn } from '../../testing/fakes/mattermost/harness.ts';
import type { FakeUser } from '../../testing/fakes/mattermost/model.ts';
import { type FakeMattermost, startFakeMattermost } from '../../testing/fakes/mattermost/server.ts';
import { type RecordedFeed, recordedFeed } from '../../testing/recorded-feed.ts';
import type { Platform } from '../platform.ts';
import type { Pauses } from './connection.ts';

let server: FakeMattermost;
let ada: FakeUser;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  server = await startFakeMattermost();
  ada = server.model.addUser('ada');
  server.channel.members.add(ada.id);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await server.stop();
});

const say = (message: string, more: { channelId?: string; rootId?: string } = {}) =>
  server.model.createPost(ada, { channelId: server.channel.id, message, ...more });

function start(
  feed: RecordedFeed,
  options: { platform?: Platform; pauses?: Partial<Pauses>; deadlineMs?: number } = {},
) {
  const platform = options.platform ?? platformOn(server, options);
  const stopping = new AbortController();
  const ended = platform.run(feed, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  stops.push(stop);
  return { platform, stop };
}

async function connected(feed = recordedFeed(), options: Parameters<typeof start>[1] = {}) {
  const running = start(feed, options);
  await expect.poll(() => running.platform.health().status, { timeout: 20_000 }).toBe('ok');
  return { ...running, feed };
}

const textsOf = (feed: RecordedFeed) => feed.posted().map(({ text }) => text);
const timesHandedOver = (feed: RecordedFeed) => feed.events.filter(({ kind }) => kind === 'posted').length;

describe('a connection', () => {
  test('that is cut over and over is made again, and each post comes once', async () => {
    const { feed } = await connected();
    for (let round = 0; round < 12; round += 1) {
      server.hub.drop();
      say(`after cut ${round}`);
      await server.hub.untilGreeted(round + 2);
    }
    await feed.untilPost(({ text }) => text === 'after cut 11');
    expect(textsOf(feed)).toEqual(Array.from({ length: 12 }, (_, round) => `after cut ${round}`));
    expect(timesHandedOver(feed)).toBe(12);
  });

  test('that falls silent is noticed and made again', async () => {
    const { feed } = await connected(recordedFeed(), { pauses: { heartbeatMs: 60 } });
    server.hub.silence();
    say('into the silence');
    await feed.untilPost(({ text }) => text === 'into the silence');
    expect(server.hub.greeted).toBeGreaterThan(1);
  });

  test('without a greeting is given up and tried again', async () => {
    const { token } = server.bot;
    const feed = recordedFeed('0');
    const { platform } = start(feed, { pauses: { helloMs: 50 } });
    server.hub.refuse(true);
    await expect.poll(() => platform.health().status).toBe('degraded');
    expect(platform.health().detail).not.toContain(token);
    server.hub.refuse(false);
    await expect.poll(() => platform.health().status).toBe('ok');
  });

  test('comes back after a long outage of the whole server', async () => {
    const { feed, platform } = await connected();
    server.setOffline(true);
    await expect.poll(() => platform.health().status, { timeout: 30_000 }).toBe('degraded');
    say('meanwhile');
    server.setOffline(false);
    await feed.untilPost(({ text }) => text === 'meanwhile');
  }, 60_000);

  test('authenticates by a message, with no token in the address', async () => {
    await connected();
    expect(server.hub.actions[0]).toEqual({ action: 'authentication_challenge', data: {} });
  });

  test('tells that the bot is typing, in the thread', async () => {
    const { platform } = await connected();
    const root = say('root');
    await platform.typing(server.channel.id, root.id);
    await expect
      .poll(() => server.hub.actions.at(-1))
      .toEqual({ action: 'user_typing', data: { channel_id: server.channel.id, parent_id: root.id } });
  });
});

describe('a server that refuses the bot', () => {
  test('is asked again slowly, with a sentence that says what to do', async () => {
    const { token } = server.bot;
    server.fail(
      'readUser',
      { kind: 'status', status: 401, id: 'api.context.session_expired.app_error' },
      100,
    );
    const { platform } = start(recordedFeed());
    await expect.poll(() => platform.health().status).toBe('failed');
    expect(platform.health().detail).toMatch(/make a new access token/);
    expect(platform.health().detail).not.toContain(token);
    server.mend();
    await expect.poll(() => platform.health().status).toBe('ok');
  });

  test('names the channel when the bot is not in it', async () => {
    server.channel.members.delete(server.bot.id);
    const { platform } = start(recordedFeed());
    await expect.poll(() => platform.health().detail).toMatch(/not a member of its channel/);
    server.channel.members.add(server.bot.id);
    await expect.poll(() => platform.health().status).toBe('ok');
  });

  test('says so when the channel is archived', async () => {
    server.channel.delete_at = Date.now();
    const { platform } = start(recordedFeed());
    await expect.poll(() => platform.health().detail).toMatch(/is archived/);
  });

  test('tells its own limit of a message', async () => {
    server.model.settings.maxPostSize = 4_000;
    const { platform } = await connected();
    expect(platform.capabilities.message).toEqual({ limit: 4_000, unit: 'codepoints' });
    expect(platform.split('x'.repeat(9_000)).map(({ length }) => length)).toEqual([4_000, 4_000, 1_000]);
  });
});

describe('events', () => {
  test('of other channels than the bot’s and direct conversations are left out', async () => {
    const { feed } = await connected();
    const other = server.model.addChannel('other', 'O', [server.bot.id, ada.id]);
    const direct = server.model.directChannel(ada.id, server.bot.id);
    say('elsewhere', { channelId: other.id });
    const there = say('reacted to', { channelId: other.id });
    server.model.react(ada, there.id, '+1');
    say('privately', { channelId: direct.id });
    const post = await feed.untilPost(({ text }) => text === 'privately');
    expect(post.channelId).toBe(direct.id);
    expect(feed.events).toHaveLength(1);
  });

  test('that are lost on the way are fetched, before those that came after them', async () => {
    const { feed } = await connected();
    server.hub.loseNext();
    say('lost');
    say('after it');
    await feed.untilPost(({ text }) => text === 'after it');
    expect(textsOf(feed)).toEqual(['lost', 'after it']);
    expect(timesHandedOver(feed)).toBe(2);
  });

  test('in the wrong order are put right', async () => {
    const { feed } = await connected();
    server.hub.swapNext();
    say('first');
    say('second');
    await feed.untilPost(({ text }) => text === 'second');
    expect(textsOf(feed)).toEqual(['first', 'second']);
  });

  test('of a post and a reaction that come twice are handed over once', async () => {
    const { feed } = await connected();
    server.hub.repeatNext();
    const post = say('twice');
    server.hub.repeatNext();
    server.model.react(ada, post.id, 'eyes');
    say('end');
    await feed.untilPost(({ text }) => text === 'end');
    expect(feed.events.map(({ kind }) => kind)).toEqual(['posted', 'reacted', 'posted']);
  });

  test('that could not be recorded are handed over until they are', async () => {
    const { feed } = await connected();
    feed.failNext(2);
    say('persistent');
    say('next');
    await feed.untilPost(({ text }) => text === 'next');
    expect(textsOf(feed)).toEqual(['persistent', 'next']);
  });

  test('that name what the server takes for no name stop nothing', async () => {
    const { feed } = await connected();
    const known = say('now the author is known');
    await feed.untilPost(({ postId }) => postId === known.id);
    server.fail('readUser', { kind: 'status', status: 400, id: 'api.context.invalid_url_param.app_error' });
    say('@system is down');
    const post = await feed.untilPost(({ text }) => text === '@system is down');
    expect(post.mentions).toEqual([{ text: '@system', personId: null }]);
  });

  test('whose author the server does not tell for now wait for it', async () => {
    const { feed } = await connected(recordedFeed(), { deadlineMs: 200 });
    const ben = server.model.addUser('ben');
    server.channel.members.add(ben.id);
    server.fail('readUser', { kind: 'status', status: 500 }, 2);
    server.model.createPost(ben, { channelId: server.channel.id, message: 'who am I' });
    const post = await feed.untilPost(({ text }) => text === 'who am I');
    expect(post.author.name).toBe('ben');
  });
});

describe('after a gap', () => {
  test('a new process gets posts, replies, direct messages and reactions it missed, once and in order', async () => {
    const { feed, stop } = await connected();
    const direct = server.model.directChannel(ada.id, server.bot.id);
    const question = server.model.createPost(server.bot, { channelId: server.channel.id, message: 'may I?' });
    await feed.untilPost(({ text }) => text === 'may I?');
    await stop();
    const now = Date.now();
    const at = (milliseconds: number) => {
      server.model.now = () => now + milliseconds;
    };
    at(1);
    const root = say('root');
    at(2);
    say('privately', { channelId: direct.id });
    at(3);
    say('reply', { rootId: root.id });
    at(4);
    server.model.react(ada, question.id, '+1');
    feed.posts.push({ channelId: server.channel.id, postId: question.id });
    await connected(feed);
    await feed.until((events) => events.some(({ kind }) => kind === 'reacted'));
    expect(feed.events.map((event) => (event.kind === 'posted' ? event.post.text : event.kind))).toEqual([
      'may I?',
      'root',
      'privately',
      'reply',
      'reacted',
    ]);
  });

  test('no post of one millisecond is left out, over several pages', async () => {
    const { feed, stop } = await connected();
    await stop();
    server.model.settings.pageSize = 20;
    const now = Date.now();
    for (let index = 0; index < 130; index += 1) {
      server.model.now = () => now + Math.floor(index / 7);
      say(`missed ${index}`);
    }
    await connected(feed);
    expect(new Set(textsOf(feed)).size).toBe(130);
    expect(timesHandedOver(feed)).toBe(130);
  });

  test('what fails in the middle is begun again, and nothing comes twice', async () => {
    const { feed, platform } = await connected(recordedFeed(), { deadlineMs: 500 });
    server.hub.refuse(true);
    server.hub.drop();
    server.model.settings.pageSize = 10;
    for (let index = 0; index < 35; index += 1) say(`missed ${index}`);
    server.fail('readChannelPosts', { kind: 'status', status: 403 }, 1);
    server.hub.refuse(false);
    await feed.untilPost(({ text }) => text === 'missed 34');
    await expect.poll(() => platform.health().status).toBe('ok');
    expect(timesHandedOver(feed)).toBe(35);
  });

  test('a reaction taken back meanwhile is told', async () => {
    const { feed } = await connected();
    const post = say('vote');
    server.model.react(ada, post.id, '+1');
    await feed.until((events) => events.some(({ kind }) => kind === 'reacted'));
    feed.posts.push({ channelId: server.channel.id, postId: post.id });
    server.hub.refuse(true);
    server.hub.drop();
    server.model.unreact(ada, post.id, '+1');
    server.hub.refuse(false);
    await feed.until((events) => events.some(({ kind }) => kind === 'unreacted'));
    expect(feed.events.at(-1)).toMatchObject({ kind: 'unreacted', personId: ada.id, emoji: '+1' });
  });

  test('a first start begins with what comes from then on', async () => {
    const direct = server.model.directChannel(ada.id, server.bot.id);
    say('before');
    say('before, privately', { channelId: direct.id });
    // No two posts of the server have one time, so this one may be of the next millisecond.
    while (Date.now() <= server.model.lastMs);
    const { feed } = await connected();
    expect(feed.savedCursor).not.toBeNull();
    say('from now on');
    await feed.untilPost(({ text }) => text === 'from now on');
    expect(textsOf(feed)).toEqual(['from now on']);
  });

  test('what is said while a first start is still connecting is handed over', async () => {
    say('before');
    const feed = recordedFeed();
    start(feed);
    // The same millisecond counts as before.
    for (const since = Date.now(); Date.now() <= since; );
    say('early');
    await feed.untilPost(({ text }) => text === 'early');
    say('later');
    await feed.untilPost(({ text }) => text === 'later');
    expect(textsOf(feed)).toEqual(['early', 'later']);
  });
});
