import { expect, test } from 'vitest';
import { discordBench } from '../../testing/fakes/discord/bench.ts';
import type { RestFault } from '../../testing/fakes/discord/faults.ts';
import { TEST_PAUSES } from '../../testing/fakes/discord/harness.ts';

/** A process to which ana has written in the server, and what Discord kept of the bot's own. */
async function conversation(options: Parameters<typeof discordBench>[0] = {}) {
  const bench = await discordBench(options);
  const process = await bench.start();
  const { fake, general, ana } = bench;
  const question = fake.say(general, ana, 'hello?');
  const [asked] = await process.until((messages) => messages.length === 1);
  const channelId = `discord:channel:${general.id}`;
  const sent = () => general.messages.filter(({ author }) => author.id === fake.bot.id);
  return { ...bench, process, channelId, question, asked: asked!, sent };
}

test('a send pings nobody, embeds nothing, and can be told from its copy', async () => {
  const { process, channelId, sent, ana } = await conversation();
  await process.send(channelId, `hi <@${ana.id}> https://example.com`);
  expect(sent()[0]?.sent).toMatchObject({
    allowed_mentions: { parse: [] },
    flags: 4,
    enforce_nonce: true,
    nonce: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
});

test('a mention of everybody rings where the operator allows it', async () => {
  const { process, channelId, sent } = await conversation();
  await process.inbox.putChannel({ channelId, allowMassMentions: true, actor: 'test' });
  await process.send(channelId, 'hi @everyone');
  expect(sent()[0]).toMatchObject({
    content: 'hi @everyone',
    sent: { allowed_mentions: { parse: ['everyone'] } },
  });
});

test('an answer to a message that is gone is sent without its reference', async () => {
  const { process, channelId, sent, asked, question, fake } = await conversation();
  fake.world.find(question.id)?.channel.messages.shift();
  await process.send(channelId, 'too late?', { replyTo: asked.id });
  expect(sent()).toMatchObject([{ content: 'too late?', replyTo: null }]);
});

test.each([
  ['no access', { status: 403, code: 50_001 }, 'PLATFORM_AUTH', 'failed'],
  ['a refused token', { status: 401 }, 'PLATFORM_AUTH', 'failed'],
  ['a file that is too large', { status: 413, code: 40_005 }, 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM', 'failed'],
  ['an unknown channel', { status: 404, code: 10_003 }, 'PLATFORM_SEND_FAILED', 'failed'],
  ['a rate limit of minutes', { retryAfterMs: 600_000 }, 'PLATFORM_SEND_FAILED', 'failed'],
])('%s is told as what it is', async (_, fault, code, delivery) => {
  const { process, channelId, sent, fake } = await conversation();
  fake.faults.rest.set('send', [fault]);
  await expect(process.send(channelId, 'no')).rejects.toMatchObject({ code, details: { delivery } });
  expect(sent()).toEqual([]);
});

test('a token that was refused once is tried again with the next send', async () => {
  const { process, channelId, sent, fake } = await conversation();
  fake.faults.rest.set('send', [{ status: 401 }]);
  await expect(process.send(channelId, 'no')).rejects.toMatchObject({ code: 'PLATFORM_AUTH' });
  await process.send(channelId, 'yes');
  expect(sent().map(({ content }) => content)).toEqual(['yes']);
});

test('inner failures of Discord are tried again, and then said to be of unknown outcome', async () => {
  const { process, channelId, sent, fake } = await conversation();
  fake.faults.rest.set('send', [{ status: 502 }, { status: 503 }]);
  await process.send(channelId, 'third time lucky');
  fake.faults.rest.set(
    'send',
    Array.from({ length: 4 }, () => ({ status: 500 })),
  );
  await expect(process.send(channelId, 'never')).rejects.toMatchObject({
    code: 'PLATFORM_SEND_FAILED',
    details: { delivery: 'unknown' },
  });
  expect(sent().map(({ content }) => content)).toEqual(['third time lucky']);
});

test('a short rate limit is waited out', async () => {
  const { process, channelId, sent, fake } = await conversation();
  fake.faults.rest.set('send', [{ retryAfterMs: 50 }, { retryAfterMs: 50, global: true }]);
  await process.send(channelId, 'patience');
  expect(sent().map(({ content }) => content)).toEqual(['patience']);
});

test.each<[string, RestFault]>([
  ['that never end', { retryAfterMs: 50 }],
  ['that never end, and say not for how long they hold', { status: 429 }],
])('rate limits %s fail a send in time, and do not make a storm of calls', async (_, fault) => {
  const pauses = { ...TEST_PAUSES, firstMs: 100, limitedMs: 500 };
  const { process, channelId, sent, fake } = await conversation({ pauses });
  fake.faults.rest.set(
    'send',
    Array.from({ length: 5_000 }, () => fault),
  );
  await expect(process.send(channelId, 'no')).rejects.toMatchObject({
    code: 'PLATFORM_SEND_FAILED',
    details: { delivery: 'failed' },
  });
  expect(sent()).toEqual([]);
  expect(fake.rest.calls.filter((call) => call.startsWith('POST')).length).toBeLessThanOrEqual(30);
  fake.faults.rest.clear();
  await process.send(channelId, 'yes');
  expect(sent().map(({ content }) => content)).toEqual(['yes']);
});

test('a lost answer is asked for again, and the message is there once', async () => {
  const { process, channelId, sent, fake } = await conversation();
  fake.faults.rest.set('send', ['lose-answer', 'lose-answer']);
  await process.send(channelId, 'once');
  expect(sent().map(({ content }) => content)).toEqual(['once']);
});

test('a Discord that is not there has nothing of the send', async () => {
  const { process, channelId, fake } = await conversation();
  await fake.goOffline();
  await expect(process.send(channelId, 'hello?')).rejects.toMatchObject({
    code: 'PLATFORM_SEND_FAILED',
    details: { delivery: 'failed' },
  });
});

test('a long text is cut at 2,000, and each part is known by itself', async () => {
  const { process, channelId, sent } = await conversation();
  const text = '🙂'.repeat(2_500);
  await process.send(channelId, text);
  expect(sent().map(({ content }) => content.length)).toEqual([2_000, 2_000, 1_000]);
  expect(
    sent()
      .map(({ content }) => content)
      .join(''),
  ).toBe(text);
  expect(new Set(sent().map((message) => message.sent?.nonce)).size).toBe(3);
});

test('typing is shown', async () => {
  const { process, channelId, fake, general } = await conversation();
  await process.inbox.showTyping(channelId, new AbortController().signal);
  expect(fake.rest.typed).toEqual([general.id]);
});
