import { expect, test } from 'vitest';
import { recordedFeed } from '../recorded-feed.ts';
import { type ContractTools, post, untilHealth } from './tools.ts';

export function gapsContract({ start, run, traits }: ContractTools): void {
  test('it connects again after every loss and misses nothing', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const said = [];
    for (let round = 1; round <= 4; round += 1) {
      await harness.dropConnections();
      for (const text of [`${round}a`, `${round}b`]) {
        await harness.say(harness.ada, text);
        said.push(text);
      }
      await feed.untilPost(({ text }) => text === `${round}b`);
    }
    expect(feed.posted().map(({ text }) => text)).toEqual(said);
  });

  test('it says that it is away, and comes back by itself', async () => {
    const harness = await start();
    await run(harness.platform);
    await harness.goOffline();
    await untilHealth(harness.platform, 'not ok');
    await harness.goOnline();
    await untilHealth(harness.platform, 'ok');
  });

  test('posts of a long gap are all handed over, in their order', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    await harness.say(harness.ada, 'the first');
    await feed.untilPost(({ text }) => text === 'the first');
    await harness.goOffline();
    const missed = Array.from({ length: traits.missedPosts }, (_, index) => `missed ${index}`);
    for (const text of missed) await harness.say(harness.ada, text);
    await harness.goOnline();
    await feed.untilPost(({ text }) => text === missed.at(-1));
    await harness.say(harness.ada, 'live again');
    await feed.untilPost(({ text }) => text === 'live again');
    expect(feed.posted().map(({ text }) => text)).toEqual(['the first', ...missed, 'live again']);
  });

  test('replies of a gap in a live thread are handed over, in their order', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const root = await harness.say(harness.ada, 'root');
    const last = await harness.say(harness.ada, 'known reply', { threadId: root.postId });
    await feed.untilPost(({ text }) => text === 'known reply');
    feed.threads.push({ channelId: root.channelId, threadId: root.postId, afterPostId: last.postId });
    await harness.goOffline();
    const missed = Array.from({ length: traits.missedPosts }, (_, index) => `missed reply ${index}`);
    for (const text of missed) await harness.say(harness.ben, text, { threadId: root.postId });
    await harness.goOnline();
    await feed.untilPost(({ text }) => text === missed.at(-1));
    const replies = feed.posted().filter(({ author }) => author.id === harness.ben.id);
    expect(replies.map(({ text }) => text)).toEqual(missed);
    expect(replies.every(({ threadId }) => threadId === root.postId)).toBe(true);
  });

  test('reactions of a gap on a post that waits for them are handed over', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const question = await post(harness, 'allow?');
    await harness.platform.react(question, '+1');
    await feed.untilPost(({ text }) => text === 'allow?');
    feed.posts.push(question);
    await harness.goOffline();
    await harness.react(harness.ben, question, 'eyes');
    await harness.react(harness.ada, question, '+1');
    await harness.goOnline();
    const reactedBy = (personId: string) => (events: typeof feed.events) =>
      events.some((event) => event.kind === 'reacted' && event.personId === personId);
    await feed.until(reactedBy(harness.ada.id));
    await feed.until(reactedBy(harness.ben.id));
    expect(feed.events.filter((event) => 'ref' in event && event.ref.postId !== question.postId)).toEqual([]);
    expect(feed.events.some(reactedByBot(harness.bot.id))).toBe(false);
  });

  test('what happens while nothing runs is handed over at the next start, replies and reactions too', async () => {
    const harness = await start();
    const { feed, stop } = await run(harness.platform);
    const root = await harness.say(harness.ada, 'root');
    await feed.untilPost(({ text }) => text === 'root');
    const question = await post(harness, 'allow?', { threadId: root.postId });
    await feed.untilPost(({ text }) => text === 'allow?');
    await stop();
    await harness.say(harness.ada, 'a reply', { threadId: root.postId });
    await harness.react(harness.ada, question, '+1');
    await harness.say(harness.ben, 'a root');
    const next = recordedFeed(feed.savedCursor);
    next.threads.push({ channelId: root.channelId, threadId: root.postId, afterPostId: question.postId });
    next.posts.push(question);
    await run(await harness.again(), next);
    await next.untilPost(({ text }) => text === 'a reply');
    await next.untilPost(({ text }) => text === 'a root');
    await next.until((events) =>
      events.some((event) => event.kind === 'reacted' && event.ref.postId === question.postId),
    );
  });

  test('a thread whose root vanished in a gap holds nothing else up', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const root = await harness.say(harness.ada, 'root');
    await feed.untilPost(({ text }) => text === 'root');
    feed.threads.push({ channelId: root.channelId, threadId: root.postId, afterPostId: root.postId });
    feed.posts.push(root);
    await harness.goOffline();
    await harness.delete(harness.ada, root);
    await harness.say(harness.ben, 'life goes on');
    await harness.goOnline();
    await feed.untilPost(({ text }) => text === 'life goes on');
  });

  test('an event of a gap that could not be recorded is handed over again', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    await harness.goOffline();
    for (const text of ['one', 'two']) await harness.say(harness.ada, text);
    feed.failNext(2);
    await harness.goOnline();
    await feed.untilPost(({ text }) => text === 'two');
    expect(feed.posted().map(({ text }) => text)).toEqual(['one', 'two']);
  });

  test('it stops when it is told to, away or not', async () => {
    const harness = await start();
    const { stop } = await run(harness.platform);
    await harness.goOffline();
    await untilHealth(harness.platform, 'not ok');
    await stop();
    await harness.goOnline();
    const again = await run(await harness.again());
    await again.stop();
  });
}

function reactedByBot(botId: string) {
  return (event: { kind: string; personId?: string }) => event.kind === 'reacted' && event.personId === botId;
}
