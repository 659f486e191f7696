import type { ChatLimits } from '@postern/local-chat';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { expectRefusal, post, untilHealth } from '../../testing/contract/tools.ts';
import { BOT_NAME, CHANNEL, localBench } from '../../testing/fakes/local/bench.ts';
import { type RecordedFeed, recordedFeed } from '../../testing/recorded-feed.ts';
import type { Platform } from '../platform.ts';

const ADA = { id: 'ada', name: 'Ada' };
const BEN = { id: 'ben', name: 'Ben' };

async function bench(engine: Engine, limits: Partial<ChatLimits> = {}) {
  const at = await localBench(engine, limits);
  onTestFinished(async () => {
    await at.line.mend();
    await at.chat.stop();
  });
  return { ...at, platform: at.connect() };
}

async function run(platform: Platform, feed: RecordedFeed = recordedFeed()) {
  const stopping = new AbortController();
  const running = platform.run(feed, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(stop);
  await feed.untilCursor();
  return { feed, stop };
}

describeEngines('the local platform', (engine) => {
  test('each change is told once, whatever breaks in between', async () => {
    const { chat, line, platform } = await bench(engine);
    const { feed, stop } = await run(platform);
    const said = await chat.post({ channelId: CHANNEL, user: ADA, text: 'one' });
    await chat.react({ messageId: said.id, userId: 'ben', emoji: '+1' });
    await line.drop();
    await chat.edit({ messageId: said.id, userId: 'ada', text: 'two' });
    await feed.until((events) => events.length === 3);
    await stop();
    await chat.unreact({ messageId: said.id, userId: 'ben', emoji: '+1' });
    await chat.remove({ messageId: said.id, userId: 'ada' });
    const next = recordedFeed(feed.savedCursor);
    await run(platform, next);
    await next.until((events) => events.length === 2);
    await chat.post({ channelId: CHANNEL, user: ADA, text: 'three' });
    await next.untilPost(({ text }) => text === 'three');
    const kinds = [...feed.events, ...next.events].map(({ kind }) => kind);
    expect(kinds).toEqual(['posted', 'reacted', 'edited', 'unreacted', 'deleted', 'posted']);
  });

  test('a channel of threads is made at the start, the bot in it, and the inbox sees nothing of it', async () => {
    const { chat, inbox, platform } = await bench(engine);
    const cursor = await inbox.newestCursor();
    await run(platform);
    await untilHealth(platform, 'ok');
    await post({ platform }, 'hello');
    expect(await inbox.channel(CHANNEL)).toBeNull();
    expect(await inbox.eventsAfter(cursor, 10)).toEqual([]);
    const { members } = (await chat.channel(CHANNEL)) ?? { members: [] };
    expect(members).toEqual([{ id: BOT_NAME, name: BOT_NAME }]);
    const [message] = await chat.messages({ channelId: CHANNEL, limit: 5 });
    expect(message?.user).toEqual({ id: BOT_NAME, name: BOT_NAME });
  });

  test('what others say elsewhere is not told, and moves the cursor on', async () => {
    const { chat, platform } = await bench(engine);
    const { feed } = await run(platform);
    const { channel } = await chat.openChannel({ name: 'lounge', type: 'group', members: [ADA] });
    await chat.post({ channelId: channel.id, user: ADA, text: 'elsewhere' });
    await chat.post({ channelId: CHANNEL, user: ADA, text: 'here' });
    await feed.untilPost(({ text }) => text === 'here');
    expect(feed.posted().map(({ text }) => text)).toEqual(['here']);
  });

  test('people’s direct messages are with the bot, whoever begins them, and the inbox sees nothing of them', async () => {
    const { chat, inbox, platform } = await bench(engine);
    for (const user of [ADA, BEN]) await chat.join(CHANNEL, user);
    const cursor = await inbox.newestCursor();
    const { feed } = await run(platform);
    const direct = await platform.directChannel('ada');
    expect(direct).toBe('local:dm-ada');
    await post({ platform }, 'psst', { channelId: direct });
    const bens = await chat.openDirect(BEN);
    await chat.post({ channelId: bens.id, user: BEN, text: 'hello?' });
    await feed.untilPost(({ text }) => text === 'hello?');
    await post({ platform }, 'hello!', { channelId: bens.id });
    expect(feed.posted().map(({ text }) => text)).toEqual(expect.arrayContaining(['psst', 'hello?']));
    expect(await platform.channel(bens.id)).toMatchObject({ visibility: 'direct', isBotMember: true });
    expect(await platform.search('hello', 5)).toEqual([]);
    expect(await inbox.eventsAfter(cursor, 10)).toEqual([]);
    expect(await inbox.channel(bens.id)).toBeNull();
  });

  test('a bot without direct messages is neither told of nor reads those of others', async () => {
    const { chat, connect } = await bench(engine);
    const platform = connect({ directMessages: false });
    const { feed } = await run(platform);
    const bens = await chat.openDirect(BEN);
    const secret = await chat.post({ channelId: bens.id, user: BEN, text: 'secret' });
    await chat.post({ channelId: CHANNEL, user: ADA, text: 'here' });
    await feed.untilPost(({ text }) => text === 'here');
    expect(feed.posted().map(({ text }) => text)).toEqual(['here']);
    expect(await platform.readPost({ channelId: bens.id, postId: secret.id })).toBeNull();
    expect(await platform.channel(bens.id)).toBeNull();
    expect(await platform.search('secret', 5)).toEqual([]);
    await expectRefusal(platform.readChannel(bens.id, 5), 'not_found');
    await expectRefusal(post({ platform }, 'hello', { channelId: bens.id }), 'not_found');
  });

  test('reactions that the log has forgotten are read from the posts that wait for them', async () => {
    const { chat, platform } = await bench(engine, { eventsKept: 5 });
    const { feed, stop } = await run(platform);
    const ref = await post({ platform }, 'allow?');
    await feed.untilPost(({ text }) => text === 'allow?');
    await stop();
    await platform.react(ref, '+1');
    await chat.react({ messageId: ref.postId, userId: 'ada', emoji: '+1::skin-tone-4' });
    for (let index = 0; index < 20; index += 1) {
      await chat.post({ channelId: CHANNEL, user: BEN, text: `noise ${index}` });
    }
    const next = recordedFeed(feed.savedCursor);
    next.posts.push(ref);
    await run(platform, next);
    await next.untilPost(({ text }) => text === 'noise 19');
    expect(next.events.filter(({ kind }) => kind === 'reacted')).toEqual([
      { kind: 'reacted', ref, personId: 'ada', emoji: '+1::skin-tone-4' },
    ]);
    expect(next.posted()).toHaveLength(20);
  });

  test('mentions are of ids before names, of nobody where a name is two people’s, and end before the stop', async () => {
    const { chat, platform } = await bench(engine);
    const people = [
      { id: 'sam', name: 'Samuel' },
      { id: 'thief', name: 'sam' },
      { id: 'u1', name: 'Kim' },
      { id: 'u2', name: 'Kim' },
      { id: 'u3', name: 'Zoë' },
    ];
    for (const person of people) await chat.join(CHANNEL, person);
    const text = `@${BOT_NAME.toUpperCase()}: ask @sam, @Kim, @Zoë. Mail a@sam.example, not @who-ever!`;
    const { id } = await chat.post({ channelId: CHANNEL, user: ADA, text });
    expect((await platform.readPost({ channelId: CHANNEL, postId: id }))?.mentions).toEqual([
      { text: `@${BOT_NAME.toUpperCase()}`, personId: BOT_NAME },
      { text: '@sam', personId: 'sam' },
      { text: '@Kim', personId: null },
      { text: '@Zoë', personId: 'u3' },
      { text: '@who-ever', personId: null },
    ]);
    expect(await platform.findPerson('Kim')).toBeNull();
    expect(await platform.findPerson('sam')).toMatchObject({ id: 'sam' });
    expect(platform.mention({ id: 'u4', name: 'Ada King' })).toBe('@u4');
  });

  test('the same key on two platforms of one bot makes two posts', async () => {
    const { connect } = await bench(engine);
    const first = await post({ platform: connect({ id: 'one' }) }, 'hello', { key: 'k' });
    const second = await post({ platform: connect({ id: 'two' }) }, 'hello', { key: 'k' });
    expect(second).not.toEqual(first);
  });

  test('a file that turns out larger, or empty, when it is read is refused and not posted', async () => {
    const { chat, platform } = await bench(engine, { attachmentBytes: 100 });
    const upload = (sizeBytes: number, bytes: number) =>
      platform.upload({
        channelId: CHANNEL,
        threadId: null,
        name: 'a.txt',
        mime: 'text/plain',
        sizeBytes,
        content: chunk(bytes),
        caption: null,
      });
    await expectRefusal(upload(10, 101), 'too_large');
    await expectRefusal(upload(10, 0), 'refused');
    expect(await chat.messages({ channelId: CHANNEL, limit: 5 })).toEqual([]);
  });

  test('a database that is away is no answer, and nobody is told its words', async () => {
    const { connect, line } = await bench(engine);
    const broken = async () => Promise.reject(new Error('password of the database: hunter2'));
    const platform = connect({ chat: { ...line.chat, channel: broken, people: broken, post: broken } });
    await expect(platform.channel(CHANNEL)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the embedded chat did not answer',
    });
    await expect(post({ platform }, 'hello')).rejects.toMatchObject({ code: 'unknown' });
  });
});

async function* chunk(bytes: number): AsyncIterable<Uint8Array> {
  yield new Uint8Array(bytes);
}
