import { systemClock } from '@postern/kit';
import { fakeClock } from '@postern/kit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeSlack, fakeSlack } from '../../testing/fakes/slack/fake-slack.ts';
import { slackOn } from '../../testing/fakes/slack/harness.ts';
import { recordedFeed } from '../../testing/recorded-feed.ts';
import { outboundLimiter } from '../limiter.ts';
import { slackRate } from './budgets.ts';
import type { SlackOptions } from './slack-platform.ts';

async function start(options: Partial<SlackOptions> = {}) {
  const slack = await fakeSlack();
  onTestFinished(() => slack.stop());
  const ada = slack.addUser('ada');
  const channelId = slack.addChannel('general', { members: [slack.world.bot.id, ada] });
  return { slack, ada, channelId, platform: slackOn(slack, channelId, options) };
}

const textsOf = (slack: FakeSlack, channelId: string) =>
  (slack.world.messages.get(channelId) ?? []).map(({ text }) => text);

test('a post unfurls nothing and is not read once more by Slack', async () => {
  const { slack, channelId, platform } = await start();
  await platform.post({ channelId, threadId: null, markdown: '**see** https://a.example' });
  const call = slack.calls.find(({ method }) => method === 'chat.postMessage');
  expect(call?.args).toMatchObject({
    text: '*see* <https://a.example>',
    unfurl_links: 'false',
    unfurl_media: 'false',
    parse: 'none',
  });
});

test('whatever fits a post can be edited to be as long', async () => {
  const { slack, channelId, platform } = await start();
  const [longest = ''] = platform.split('x & y '.repeat(2_000));
  expect(longest.length).toBeGreaterThan(1_000);
  const ref = await platform.post({ channelId, threadId: null, markdown: 'soon' });
  await platform.edit(ref, longest);
  expect(textsOf(slack, channelId)[0]?.length).toBeGreaterThan(3_000);
});

test('code is posted as it was written, mass mentions and all', async () => {
  const { slack, channelId, platform } = await start();
  const code = `@here = decorate(all)\n${'line & more\n'.repeat(600)}`;
  for (const markdown of platform.split(`\`\`\`py\n${code}\`\`\``)) {
    await platform.post({ channelId, threadId: null, markdown });
  }
  const all = textsOf(slack, channelId).map((text) => text.replace(/^```\n/, '').replace(/\n```$/, ''));
  expect(`${all.join('\n').replaceAll('&amp;', '&')}\n`).toBe(code);
});

for (const kind of ['answerLost', 'doneBut503'] as const) {
  test(`a post whose answer is lost (${kind}) is found in the history and not made again`, async () => {
    const { slack, ada, channelId, platform } = await start();
    const root = slack.say(ada, channelId, 'root');
    slack.failNext('chat.postMessage', { kind });
    const ref = await platform.post({ channelId, threadId: root.ts, markdown: 'once' });
    expect(slack.world.find(channelId, ref.postId)?.text).toBe('once');
    expect(textsOf(slack, channelId)).toEqual(['root', 'once']);
  });
}

test('a post that never arrived is made again', async () => {
  const { slack, channelId, platform } = await start();
  slack.failNext('chat.postMessage', { kind: 'reset' }, { kind: 'error', error: 'internal_error' });
  await platform.post({ channelId, threadId: null, markdown: 'at last' });
  expect(textsOf(slack, channelId)).toEqual(['at last']);
});

test('when there is no looking, nobody knows, and the next try with the key looks first', async () => {
  const { slack, channelId, platform } = await start();
  const message = { channelId, threadId: null, markdown: 'once', key: 'k' };
  await platform.post({ ...message, markdown: 'before', key: 'other' });
  slack.failNext('chat.postMessage', { kind: 'answerLost' });
  slack.failNext('conversations.history', { kind: 'error', error: 'channel_not_found' });
  await expect(platform.post(message)).rejects.toMatchObject({ code: 'unknown' });
  const ref = await platform.post(message);
  expect(slack.world.find(channelId, ref.postId)?.text).toBe('once');
  expect(textsOf(slack, channelId)).toEqual(['before', 'once']);
});

test('a key that an earlier process used makes no second post', async () => {
  const { slack, ada, channelId, platform } = await start();
  const root = slack.say(ada, channelId, 'root');
  const message = { channelId, threadId: root.ts, markdown: 'once', key: 'k' };
  const first = await platform.post(message);
  expect(await slackOn(slack, channelId).post(message)).toEqual(first);
  expect(textsOf(slack, channelId)).toEqual(['root', 'once']);
});

test('a key that another process used since this one looked makes no second post once this one takes over', async () => {
  const { slack, channelId, platform } = await start();
  const later = slackOn(slack, channelId);
  const message = { channelId, threadId: null, markdown: 'once', key: 'k' };
  await later.post({ ...message, markdown: 'before', key: 'other' });
  const first = await platform.post(message);
  const over = new AbortController();
  const running = later.run(recordedFeed(), over.signal);
  expect(await later.post(message)).toEqual(first);
  expect(textsOf(slack, channelId)).toEqual(['before', 'once']);
  over.abort();
  await running;
});

test('a thread whose root is gone for good refuses the post', async () => {
  const { slack, ada, channelId, platform } = await start();
  const root = slack.say(ada, channelId, 'root');
  slack.vanish(root);
  const post = platform.post({ channelId, threadId: root.ts, markdown: 'hello?' });
  await expect(post).rejects.toMatchObject({ code: 'not_found' });
});

const refusals: [error: string, code: string][] = [
  ['missing_scope', 'unauthorized'],
  ['token_revoked', 'unauthorized'],
  ['not_in_channel', 'unauthorized'],
  ['channel_not_found', 'not_found'],
  ['msg_too_long', 'too_large'],
  ['restricted_action', 'refused'],
];
for (const [error, code] of refusals) {
  test(`${error} is ${code}, and tried once`, async () => {
    const { slack, channelId, platform } = await start();
    slack.failNext('chat.postMessage', { kind: 'error', error, needed: 'chat:write' });
    const post = platform.post({ channelId, threadId: null, markdown: 'x' });
    await expect(post).rejects.toMatchObject({ code, message: expect.stringContaining(error) });
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
  });
}

test('errors name no token', async () => {
  const { slack, channelId, platform } = await start();
  slack.failNext('chat.postMessage', { kind: 'status', status: 403, body: 'proxy' });
  const error: unknown = await platform
    .post({ channelId, threadId: null, markdown: 'x' })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'refused' });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/xox|xapp/);
});

test('ratelimited without a header, and as an answer, are waited for', async () => {
  const clock = fakeClock(systemClock.nowMicroseconds());
  const { slack, channelId, platform } = await start({ clock, deadlineMs: 30_000 });
  slack.failNext(
    'chat.update',
    { kind: 'rateLimited', retryAfterS: null },
    { kind: 'error', error: 'ratelimited' },
  );
  const ref = await platform.post({ channelId, threadId: null, markdown: 'x' });
  const done = platform.edit(ref, 'y');
  for (let refused = 1; refused <= 2; refused += 1) {
    await slack.until(() => slack.calls.filter(({ method }) => method === 'chat.update').length === refused);
    await clock.untilSleeping();
    while (slack.calls.filter(({ method }) => method === 'chat.update').length === refused) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1_000);
    }
  }
  await done;
  expect(textsOf(slack, channelId)).toEqual(['y']);
});

test('posts in a channel go out one a second, those in another beside them', async () => {
  const clock = fakeClock(0);
  const limiter = outboundLimiter({ clock, rateOf: slackRate });
  const out: string[] = [];
  const send = async (key: string) => {
    await limiter.take([key]);
    out.push(`${key.slice(-1)} ${clock.nowMicroseconds() / 1_000_000}`);
  };
  const all = ['A', 'A', 'A', 'B'].map((name) => send(`chat.postMessage C${name}`));
  await clock.advance(0);
  await clock.advance(3_000);
  await Promise.all(all);
  expect(out).toEqual(['A 0', 'B 0', 'A 1', 'A 2']);
});

test('a minute of edits stays within Slack’s tier', async () => {
  const clock = fakeClock(0);
  const limiter = outboundLimiter({ clock, rateOf: slackRate });
  let count = 0;
  for (let index = 0; index < 100; index += 1) void limiter.take(['chat.update']).then(() => (count += 1));
  await clock.advance(60_000);
  expect(count).toBeGreaterThan(40);
  expect(count).toBeLessThanOrEqual(50);
});
