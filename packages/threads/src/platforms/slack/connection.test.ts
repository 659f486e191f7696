import { expect, onTestFinished, test } from 'vitest';
import { fakeSlack } from '../../testing/fakes/slack/fake-slack.ts';
import { slackOn } from '../../testing/fakes/slack/harness.ts';
import { type RecordedFeed, recordedFeed } from '../../testing/recorded-feed.ts';
import type { Platform, PlatformFeed } from '../platform.ts';
import type { SlackOptions } from './slack-platform.ts';

const PAUSES = { firstReconnectMs: 5, longestReconnectMs: 20, refusedMs: 10, helloMs: 10_000, handleMs: 5 };

async function start({ ackTimeoutMs = 3_000 }: { ackTimeoutMs?: number } = {}) {
  const slack = await fakeSlack({ ackTimeoutMs });
  onTestFinished(() => slack.stop());
  const ada = slack.addUser('ada');
  const channelId = slack.addChannel('general', { members: [slack.world.bot.id, ada] });
  return {
    slack,
    ada,
    channelId,
    make: (options: Partial<SlackOptions> = {}) => slackOn(slack, channelId, options),
  };
}

async function run(platform: Platform, feed: RecordedFeed = recordedFeed(), given: PlatformFeed = feed) {
  const stopping = new AbortController();
  const running = platform.run(given, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(stop);
  await feed.untilCursor();
  await until(() => platform.health().status === 'ok');
  return { feed, stop };
}

async function until(holds: () => boolean): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isOver && !holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const textsOf = (feed: RecordedFeed) => feed.posted().map(({ text }) => text);

test('a connection that is never greeted is given up and made again', async () => {
  const { slack, ada, channelId, make } = await start();
  slack.sockets.skipHello(2);
  const { feed } = await run(make({ pauses: { ...PAUSES, helloMs: 30 } }));
  slack.say(ada, channelId, 'hello');
  await feed.untilPost(({ text }) => text === 'hello');
  expect(slack.calls.filter(({ method }) => method === 'apps.connections.open').length).toBeGreaterThan(2);
});

test('when Slack renews a connection nothing is missed', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  for (const reason of ['warning', 'refresh_requested']) {
    slack.sockets.disconnect(reason);
    slack.say(ada, channelId, `at the ${reason}`);
    await feed.untilPost(({ text }) => text === `at the ${reason}`);
  }
  expect(textsOf(feed)).toEqual(['at the warning', 'at the refresh_requested']);
});

test('an event that Slack sends again, since it missed the acknowledgement, is handed over once', async () => {
  const { slack, ada, channelId, make } = await start({ ackTimeoutMs: 20 });
  const { feed } = await run(make());
  slack.sockets.ignoreAcks(2);
  const message = slack.say(ada, channelId, 'one');
  slack.react(ada, message, 'eyes');
  await until(() => slack.sockets.pending() === 0);
  slack.say(ada, channelId, 'two');
  await feed.untilPost(({ text }) => text === 'two');
  expect(feed.events.map(({ kind }) => kind)).toEqual(['posted', 'reacted', 'posted']);
});

test('Slack hears at once that an event arrived, however long its handling takes', async () => {
  const { slack, ada, channelId, make } = await start();
  const feed = recordedFeed();
  const gate = Promise.withResolvers<void>();
  const slow: PlatformFeed = {
    cursor: feed.cursor,
    saveCursor: feed.saveCursor,
    watchedThreads: feed.watchedThreads,
    watchedPosts: feed.watchedPosts,
    async handle(event, cursor) {
      await gate.promise;
      await feed.handle(event, cursor);
    },
  };
  await run(make(), feed, slow);
  slack.say(ada, channelId, 'one');
  await until(() => slack.sockets.pending() === 0);
  expect(feed.events).toEqual([]);
  gate.resolve();
  await feed.untilPost(({ text }) => text === 'one');
});

test('an event that was acknowledged and not recorded before a stop is fetched at the next start', async () => {
  const { slack, ada, channelId, make } = await start();
  const feed = recordedFeed();
  const { stop } = await run(make(), feed);
  feed.failNext(1_000_000);
  slack.say(ada, channelId, 'nearly lost');
  await until(() => slack.sockets.pending() === 0);
  await stop();
  expect(textsOf(feed)).toEqual([]);
  const { feed: next } = await run(make(), recordedFeed(feed.savedCursor));
  await next.untilPost(({ text }) => text === 'nearly lost');
});

test('with several connections of the app every event comes to one, and each is fetched by recovery', async () => {
  const { slack, ada, channelId, make } = await start();
  const one = await run(make());
  const two = await run(make());
  for (const text of ['a', 'b', 'c', 'd']) slack.say(ada, channelId, text);
  await until(() => one.feed.posted().length + two.feed.posted().length === 4);
  expect([...textsOf(one.feed), ...textsOf(two.feed)].sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('what is said while a first start is still connecting is handed over', async () => {
  const { slack, ada, channelId, make } = await start();
  slack.say(ada, channelId, 'before');
  slack.setOffline(true);
  const platform = make();
  const feed = recordedFeed();
  const running = run(platform, feed);
  await until(() => platform.health().status === 'degraded');
  slack.say(ada, channelId, 'early');
  slack.setOffline(false);
  await running;
  slack.say(ada, channelId, 'later');
  await feed.untilPost(({ text }) => text === 'later');
  expect(textsOf(feed)).toEqual(['early', 'later']);
});

test('revoked tokens are said to be refused, and it goes on trying', async () => {
  const { slack, make } = await start();
  const platform = make();
  await run(platform);
  slack.revokeTokens();
  await until(() => platform.health().status === 'failed');
  expect(platform.health().detail).toContain('token_revoked');
  expect(platform.health().detail).not.toMatch(/xox|xapp/);
  const before = slack.calls.length;
  await slack.until(() => slack.calls.length > before + 2);
});

test('Socket Mode that is switched off is named', async () => {
  const { slack, make } = await start();
  const platform = make({ pauses: { ...PAUSES, refusedMs: 60_000 } });
  await run(platform);
  slack.sockets.disconnect('link_disabled');
  await until(() => platform.health().status === 'failed');
  expect(platform.health().detail).toContain('Socket Mode is switched off');
});

test('a recovery that Slack cuts short begins anew and hands nothing over twice', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  slack.setOffline(true);
  for (let index = 0; index < 250; index += 1) slack.say(ada, channelId, `missed ${index}`);
  slack.failNext(
    'conversations.history',
    { kind: 'rateLimited', retryAfterS: 0 },
    { kind: 'status', status: 503 },
    { kind: 'error', error: 'channel_not_found' },
  );
  slack.setOffline(false);
  await feed.untilPost(({ text }) => text === 'missed 249');
  expect(feed.events.map((event) => event.kind === 'posted' && event.post.text)).toEqual(
    Array.from({ length: 250 }, (_, index) => `missed ${index}`),
  );
});

test('replies of a gap come also in a thread that nobody watches, and edits of older posts', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  const root = slack.say(ada, channelId, 'an old root');
  const other = slack.say(ada, channelId, 'before');
  await feed.untilPost(({ text }) => text === 'before');
  slack.setOffline(true);
  slack.say(ada, channelId, 'a reply', { threadTs: root.ts });
  slack.edit(other, 'before, better');
  slack.setOffline(false);
  await feed.untilPost(({ text }) => text === 'a reply');
  await feed.until((events) =>
    events.some((event) => event.kind === 'edited' && event.post.text === 'before, better'),
  );
});

test('direct messages come live and after a gap; other channels that the bot is in do not', async () => {
  const { slack, ada, make } = await start();
  const platform = make();
  const { feed } = await run(platform);
  const direct = await platform.directChannel(ada);
  const lounge = slack.addChannel('lounge', { members: [slack.world.bot.id, ada] });
  slack.say(ada, lounge, 'elsewhere');
  slack.say(ada, direct, 'psst');
  await feed.untilPost(({ text }) => text === 'psst');
  slack.setOffline(true);
  slack.say(ada, lounge, 'elsewhere again');
  slack.say(ada, direct, 'psst again');
  slack.setOffline(false);
  await feed.untilPost(({ text }) => text === 'psst again');
  expect(textsOf(feed)).toEqual(['psst', 'psst again']);
});

test('bots are told from people: integrations, apps in somebody’s name, Slackbot', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  slack.say(ada, channelId, 'a person');
  slack.say(ada, channelId, 'an app as ada', { as: { botId: 'B0OTHER001' } });
  slack.say('', channelId, '', {
    as: {
      ...{ user: null, botId: 'B0ALERTS01', username: 'alerts', subtype: 'bot_message' },
      extra: { attachments: [{ fallback: 'disk is full' }] },
    },
  });
  await feed.untilPost(({ text }) => text === 'disk is full');
  expect(feed.posted().map(({ author }) => author)).toEqual([
    { id: ada, name: 'ada', isBot: false },
    { id: ada, name: 'ada', isBot: true },
    { id: 'B0ALERTS01', name: 'alerts', isBot: true },
  ]);
  expect(feed.posted().every(({ isSystem }) => !isSystem)).toBe(true);
});

test('notices are told as such, and an unfurled link or a new reply is no edit', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  slack.say(ada, channelId, '<@U0X> has joined the channel', { as: { subtype: 'channel_join' } });
  const message = slack.say(ada, channelId, 'see <https://a.example>');
  const wire = slack.world.wire(message);
  const place = { channel: channelId, channel_type: 'channel' };
  const outer = { type: 'message', hidden: true, ...place, ts: slack.world.newTs() };
  slack.sockets.emit({
    ...{ ...outer, subtype: 'message_changed', previous_message: wire },
    message: { ...wire, attachments: [{ fallback: 'a page' }] },
  });
  slack.sockets.emit({ ...outer, subtype: 'message_replied', message: wire });
  slack.say(ada, channelId, 'also here', { threadTs: message.ts, as: { subtype: 'thread_broadcast' } });
  await feed.untilPost(({ text }) => text === 'also here');
  expect(feed.events.map((event) => (event.kind === 'posted' ? event.post.isSystem : event.kind))).toEqual([
    true,
    false,
    false,
  ]);
  expect(feed.posted().at(-1)?.threadId).toBe(message.ts);
});

test('a root with replies that is deleted is told as deleted', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  const root = slack.say(ada, channelId, 'root');
  slack.say(ada, channelId, 'reply', { threadTs: root.ts });
  slack.delete(root);
  await feed.until((events) => events.some(({ kind }) => kind === 'deleted'));
  expect(feed.events.at(-1)).toEqual({ kind: 'deleted', ref: { channelId, postId: root.ts } });
});

test('a message in an unexpected form holds nothing up, live or in a gap', async () => {
  const { slack, ada, channelId, make } = await start();
  const { feed } = await run(make());
  const odd = { extra: { attachments: [{ fallback: 7 }], metadata: 'none', edited: true, files: 'two' } };
  slack.say(ada, channelId, 'odd', { as: odd });
  await feed.untilPost(({ text }) => text === 'odd');
  slack.setOffline(true);
  slack.say(ada, channelId, 'odd again', { as: odd });
  slack.setOffline(false);
  await feed.untilPost(({ text }) => text === 'odd again');
  expect(textsOf(feed)).toEqual(['odd', 'odd again']);
});

test('a private channel works as a public one', async () => {
  const { slack, ada } = await start();
  const hidden = slack.addChannel('hidden', { isPrivate: true, members: [slack.world.bot.id, ada] });
  const platform = slackOn(slack, hidden);
  const { feed } = await run(platform);
  slack.say(ada, hidden, 'between us');
  await feed.untilPost(({ text }) => text === 'between us');
  expect(await platform.channel(hidden)).toMatchObject({ visibility: 'private', isBotMember: true });
});
