import { expect, test } from 'vitest';
import { canonicalEmoji } from '../../platforms/emoji.ts';
import type { PlatformEvent } from '../../platforms/platform.ts';
import { recordedFeed } from '../recorded-feed.ts';
import { type ContractTools, post } from './tools.ts';

/** An event in a word or two. */
function brief(event: PlatformEvent): string {
  switch (event.kind) {
    case 'posted':
    case 'edited':
      return `${event.kind} ${event.post.text}`;
    case 'deleted':
      return 'deleted';
    default:
      return `${event.kind} ${canonicalEmoji(event.emoji)}`;
  }
}

export function eventsContract({ start, run, testFault }: ContractTools): void {
  test('what people do is handed over once and in order', async () => {
    const harness = await start();
    const { ada, ben } = harness;
    const { feed } = await run(harness.platform);
    const root = await harness.say(ada, 'root');
    const reply = await harness.say(ben, 'reply', { threadId: root.postId });
    await harness.edit(ben, reply, 'reply, better');
    await harness.react(ada, reply, harness.withSkinTone('+1'));
    await harness.unreact(ada, reply, harness.withSkinTone('+1'));
    await harness.delete(ben, reply);
    await harness.say(ada, 'the last');
    await feed.untilPost(({ text }) => text === 'the last');
    expect(feed.events.map(brief)).toEqual([
      'posted root',
      'posted reply',
      'edited reply, better',
      'reacted +1',
      'unreacted +1',
      'deleted',
      'posted the last',
    ]);
    expect(feed.events[0]).toMatchObject({ post: { ...root, threadId: root.postId, author: ada } });
    expect(feed.events[1]).toMatchObject({ post: { ...reply, threadId: root.postId, author: ben } });
    expect(feed.events[3]).toMatchObject({ ref: reply, personId: ada.id });
    expect(feed.events[5]).toMatchObject({ ref: reply });
  });

  test('a mention and a file come with the post', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const bytes = Buffer.from('bytes');
    await harness.say(harness.ada, '{bot} look', { files: [{ name: 'a.txt', mime: 'text/plain', bytes }] });
    const { mentions, files } = await feed.untilPost(({ text }) => text.endsWith('look'));
    expect(mentions).toEqual([{ text: `@${harness.bot.name}`, personId: harness.bot.id }]);
    expect(files).toMatchObject([{ name: 'a.txt', sizeBytes: 5 }]);
  });

  test('the bot’s own posts are told as its own, its reactions not at all', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    const own = await post(harness, 'mine');
    await harness.platform.react(own, 'eyes');
    await harness.platform.unreact(own, 'eyes');
    await harness.say(harness.ada, 'yours');
    await feed.untilPost(({ text }) => text === 'yours');
    await feed.untilPost(({ text }) => text === 'mine');
    expect(feed.posted().find(({ text }) => text === 'mine')?.author).toEqual(harness.bot);
    expect(feed.events.every(({ kind }) => kind === 'posted')).toBe(true);
  });

  test('the first start begins with what comes from then on', async () => {
    const harness = await start();
    await harness.say(harness.ada, 'long ago');
    const { feed } = await run(harness.platform);
    await harness.say(harness.ada, 'now');
    await feed.untilPost(({ text }) => text === 'now');
    expect(feed.posted().map(({ text }) => text)).toEqual(['now']);
  });

  test('an event that could not be recorded is handed over again before the next, and none is lost', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    feed.failNext(3);
    for (const text of ['one', 'two', 'three']) await harness.say(harness.ada, text);
    await feed.untilPost(({ text }) => text === 'three');
    expect(feed.events.map(brief)).toEqual(['posted one', 'posted two', 'posted three']);
  });

  test('a start goes on where the one before it ended', async () => {
    const harness = await start();
    const { feed, stop } = await run(harness.platform);
    await harness.say(harness.ada, 'before');
    await feed.untilPost(({ text }) => text === 'before');
    await stop();
    for (const text of ['meanwhile 1', 'meanwhile 2']) await harness.say(harness.ada, text);
    const next = recordedFeed(feed.savedCursor);
    await run(await harness.again(), next);
    await harness.say(harness.ada, 'after');
    await next.untilPost(({ text }) => text === 'after');
    const texts = next.posted().map(({ text }) => text);
    expect(texts.filter((text) => text !== 'before')).toEqual(['meanwhile 1', 'meanwhile 2', 'after']);
  });

  testFault('repeatNextEvent', 'an event that comes twice does no harm', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    harness.faults.repeatNextEvent?.();
    for (const text of ['one', 'two']) await harness.say(harness.ada, text);
    await feed.untilPost(({ text }) => text === 'two');
    expect(feed.posted().map(({ text }) => text)).toEqual(['one', 'two']);
  });

  testFault('swapNextEvents', 'events that come in the wrong order are all handed over', async () => {
    const harness = await start();
    const { feed } = await run(harness.platform);
    harness.faults.swapNextEvents?.();
    for (const text of ['one', 'two', 'three']) await harness.say(harness.ada, text);
    for (const text of ['one', 'two', 'three']) await feed.untilPost((each) => each.text === text);
    const texts = feed.posted().map(({ text }) => text);
    expect(texts.sort()).toEqual(['one', 'three', 'two']);
  });
}
