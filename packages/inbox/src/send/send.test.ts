import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InboxCaller } from '../context.ts';
import {
  type BenchOptions,
  type FakeConnector,
  fakeConnector,
  type InboxBench,
  inboxBench,
  messageEvent,
} from '../testing/index.ts';
import { type SendRequest, sendMessage } from './send.ts';

const agent: InboxCaller = { kind: 'bearer', credential: 'bearer', agentId: 'a' };
const ZERO_WIDTH = '\u200b';

interface Desk {
  readonly bench: InboxBench;
  readonly platform: FakeConnector;
  send(request: Partial<SendRequest>, key?: string): ReturnType<typeof sendMessage>;
}

/** An inbox with one known channel, `local:team`, and a platform that does as it is told. */
async function desk(
  engine: 'sqlite' | 'postgres',
  options: BenchOptions = {},
  overrides: Parameters<typeof fakeConnector>[0] = {},
): Promise<Desk> {
  const bench = await inboxBench(engine, {
    ...options,
    config: { rateLimit: { perSecond: 100, burst: 1_000 }, ...options.config },
  });
  const platform = fakeConnector(overrides);
  await bench.allow('ana');
  await bench.accept(messageEvent({ platformId: 'hello' }));
  return {
    bench,
    platform,
    send: (request, key) =>
      sendMessage(
        bench.ports,
        (source) => (source === platform.source ? platform : undefined),
        { channel_id: 'local:team', text: 'hi', ...request },
        agent,
        key ?? null,
        new AbortController().signal,
      ),
  };
}

const short = {
  capabilities: {
    text: { limit: 12, unit: 'utf16' },
    attachments: { maxCount: 3, maxBytes: 1_000 },
    typing: false,
    replies: true,
  },
} as const;

describeEngines('sending', (engine) => {
  test('a message is sent, answered with its id and the platform’s time, and recorded as outbound', async () => {
    const { bench, platform, send } = await desk(engine);
    const { answer, replayed } = await send({ text: 'good morning' });
    expect(answer).toEqual({
      message_id: expect.stringMatching(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
      sent_at: '2023-11-14T22:13:20.001Z',
    });
    expect(replayed).toBe(false);
    expect(platform.delivered).toMatchObject([
      {
        channelId: 'local:team',
        text: 'good morning',
        replyToPlatformId: null,
        attachments: [],
        nonce: expect.stringMatching(/^[0-9a-f]{24}$/),
      },
    ]);
    expect(await bench.inbox().message(answer.message_id)).toEqual({
      id: answer.message_id,
      source: 'local',
      channel_id: 'local:team',
      channel_type: 'group',
      sender: { id: 'postern', display_name: 'Postern', person_id: null },
      text: 'good morning',
      attachments: [],
      reply_to: null,
      timestamp: '2023-11-14T22:13:20.001Z',
      direction: 'outbound',
      raw: { parts: [{ platform_id: 'sent-1' }], agent_id: 'a' },
    });
    const channel = await bench.ports.store.db.selectFrom('inbox_channels').selectAll().executeTakeFirst();
    expect(channel).toMatchObject({ message_count: 2, name: 'team' });
  });

  test('what was sent is nobody’s unread, also when its sender is on the allowlist', async () => {
    const { bench, send } = await desk(engine);
    await bench.allow('postern', { displayName: 'Not me', personId: 'p' });
    const { answer } = await send({});
    expect((await bench.unread('a')).map((row) => row.direction)).toEqual(['inbound']);
    expect((await bench.inbox().message(answer.message_id)).sender).toEqual({
      id: 'postern',
      display_name: 'Postern',
      person_id: null,
    });
  });

  test('a channel nobody has written in is unknown until the operator adds it', async () => {
    const { bench, platform, send } = await desk(engine);
    const request = { channel_id: 'local:new' };
    await expect(send(request, 'key')).rejects.toMatchObject({ code: 'CHANNEL_NOT_FOUND', status: 404 });
    await bench.inbox().putChannel({ channelId: 'local:new', allowMassMentions: undefined, actor: 'test' });
    await expect(send(request, 'key')).resolves.toMatchObject({ replayed: false });
    expect(platform.calls).toBe(1);
  });

  test('a channel of a connector that is not there fails, and may be tried again with the same key', async () => {
    const { bench, platform, send } = await desk(engine);
    await bench
      .inbox()
      .putChannel({ channelId: 'discord:dm:1', allowMassMentions: undefined, actor: 'test' });
    for (let round = 0; round < 2; round += 1)
      await expect(send({ channel_id: 'discord:dm:1' }, 'key')).rejects.toMatchObject({
        code: 'PLATFORM_SEND_FAILED',
        details: { delivery: 'failed' },
        headers: {},
      });
    expect(platform.calls).toBe(0);
  });

  test('an answer goes to the message it names, an outbound one of several parts too', async () => {
    const { bench, platform, send } = await desk(engine, {}, short);
    const { message_id } = await bench.stored('hello');
    const { answer } = await send({ text: 'one two three four', reply_to: message_id });
    expect(platform.delivered.map((part) => part.replyToPlatformId)).toEqual(['hello', null]);
    expect((await bench.inbox().message(answer.message_id)).reply_to).toBe(message_id);
    await send({ text: 'again', reply_to: answer.message_id });
    expect(platform.delivered.at(-1)?.replyToPlatformId).toBe('sent-1');
  });

  test('an answer to what is unknown, in quarantine or of another channel is refused before anything else', async () => {
    const { bench, platform, send } = await desk(engine, { config: { rateLimit: { burst: 1 } } });
    const stranger = messageEvent({ sender: { id: 'eve', displayName: 'Eve' } });
    const foreign = messageEvent({ channel: { id: 'local:other', type: 'group' } });
    await bench.accept(stranger, foreign);
    for (const reply_to of [
      'msg_00000000000000000000000000',
      (await bench.stored(stranger.platformId)).message_id,
      (await bench.stored(foreign.platformId)).message_id,
    ])
      await expect(send({ reply_to }, 'key')).rejects.toMatchObject({
        code: 'MESSAGE_NOT_FOUND',
        status: 404,
      });
    expect(platform.calls).toBe(0);
    // None of these took the only token, or the key.
    await expect(send({}, 'key')).resolves.toMatchObject({ replayed: false });
  });

  test('neither text nor attachment is for the platform to decide', async () => {
    const { platform, send } = await desk(engine);
    await send({ text: '' });
    expect(platform.delivered).toMatchObject([{ text: '', attachments: [] }]);
    platform.orders.push('failed');
    await expect(send({ text: '' })).rejects.toMatchObject({ code: 'PLATFORM_SEND_FAILED' });
  });

  test('text over the limit is split, code fences reopened; the envelope stays one with all ids', async () => {
    const limit = 40;
    const { bench, platform, send } = await desk(
      engine,
      {},
      {
        capabilities: { ...short.capabilities, text: { limit, unit: 'utf16' } },
      },
    );
    const text = `Look:\n\`\`\`ts\n${'const a = 1;\n'.repeat(6)}\`\`\`\nDone 😀😀`;
    const { answer } = await send({ text });
    expect(platform.delivered.length).toBeGreaterThan(2);
    for (const part of platform.delivered) {
      expect(part.text.length).toBeLessThanOrEqual(limit);
      expect(part.text.isWellFormed()).toBe(true);
      expect((part.text.match(/```/g) ?? []).length % 2).toBe(0);
    }
    expect(platform.delivered[1]?.text.startsWith('```ts\n')).toBe(true);
    expect(new Set(platform.delivered.map((part) => part.nonce)).size).toBe(platform.delivered.length);
    const envelope = await bench.inbox().message(answer.message_id);
    expect(envelope.text).toBe(text);
    expect(envelope.raw.parts).toEqual(
      platform.delivered.map((_, index) => ({ platform_id: `sent-${index + 1}` })),
    );
  });

  test('a part of nothing but white space is left out, since platforms refuse it', async () => {
    const { platform, send } = await desk(engine, {}, short);
    await send({ text: `first${' '.repeat(40)}last` });
    expect(platform.delivered.length).toBeGreaterThan(1);
    for (const part of platform.delivered) expect(part.text.trim()).not.toBe('');
    await send({ text: ' '.repeat(40) });
    expect(platform.delivered.at(-1)?.text.trim()).toBe('');
  });

  test('mentions of everybody do not ring unless the operator allows it for the channel', async () => {
    const { bench, platform, send } = await desk(engine);
    const text = '@everyone and <!channel> and @here';
    const { answer } = await send({ text });
    expect(platform.delivered[0]?.text).toBe(
      `@${ZERO_WIDTH}everyone and <${ZERO_WIDTH}!channel> and @${ZERO_WIDTH}here`,
    );
    expect((await bench.inbox().message(answer.message_id)).text).toBe(text);
    await bench.inbox().putChannel({ channelId: 'local:team', allowMassMentions: true, actor: 'test' });
    await send({ text });
    expect(platform.delivered[1]?.text).toBe(text);
    await bench.inbox().putChannel({ channelId: 'local:team', allowMassMentions: undefined, actor: 'test' });
    await send({ text });
    expect(platform.delivered[2]?.text).toBe(text);
    await bench.inbox().putChannel({ channelId: 'local:team', allowMassMentions: false, actor: 'test' });
    await send({ text });
    expect(platform.delivered[3]?.text).not.toBe(text);
  });

  test('each channel has its bucket: five at once, then one a second, and Retry-After says when', async () => {
    const { bench, platform, send } = await desk(engine, { config: { rateLimit: {} } });
    await bench.accept(messageEvent({ channel: { id: 'local:other', type: 'group' } }));
    for (let round = 0; round < 5; round += 1) await send({});
    await expect(send({})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      retryAfterSeconds: 1,
    });
    await send({ channel_id: 'local:other' });
    await bench.clock.advance(999);
    await expect(send({})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await bench.clock.advance(1);
    await send({});
    await expect(send({})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(platform.calls).toBe(7);
  });

  test('two processes share a channel’s bucket', async () => {
    const { bench, platform } = await desk(engine, { config: { rateLimit: {} } });
    const other = await bench.again(bench.clock);
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        sendMessage(
          (index % 2 ? bench : other).ports,
          () => platform,
          { channel_id: 'local:team', text: 'hi' },
          agent,
          null,
          new AbortController().signal,
        ),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(platform.calls).toBe(5);
  });

  test('a platform that says no sends nothing; what it said is passed on', async () => {
    const { bench, platform, send } = await desk(engine);
    const table = [
      ['failed', 'PLATFORM_SEND_FAILED', 502, 'failed', 'the platform said failed'],
      ['auth', 'PLATFORM_AUTH', 502, 'failed', 'the platform said auth'],
      ['too_large', 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM', 413, 'failed', 'the platform said too_large'],
      ['unknown', 'PLATFORM_SEND_FAILED', 502, 'unknown', expect.stringContaining('may have been sent')],
    ] as const;
    for (const [order, code, status, delivery, message] of table) {
      platform.orders.push(order);
      await expect(send({})).rejects.toMatchObject({ code, status, message, details: { delivery } });
    }
    expect(bench.log.lines.map(({ level, fields }) => ({ level, ...fields }))).toEqual(
      table.map(([order, code, , delivery]) => ({
        level: 'warn',
        source: 'local',
        channelId: 'local:team',
        code,
        delivery,
        reason: `the platform said ${order}`,
      })),
    );
    const outbound = bench.ports.store.db.selectFrom('inbox_messages').where('direction', '=', 'outbound');
    expect(await outbound.selectAll().execute()).toEqual([]);
  });

  test('an error the connector should not have thrown counts as unknown: never "not sent"', async () => {
    const { send } = await desk(engine, {}, { send: () => Promise.reject(new TypeError('bug')) });
    await expect(send({})).rejects.toMatchObject({
      code: 'PLATFORM_SEND_FAILED',
      details: { delivery: 'unknown' },
    });
  });

  test('a failure after the first part tells how many were sent, and records those', async () => {
    const { bench, platform, send } = await desk(engine, {}, short);
    for (const order of ['failed', 'auth', 'unknown'] as const) {
      platform.orders.push('deliver', order);
      const error = await send({ text: 'first part. second part. third' }).catch((thrown) => thrown);
      expect(error.details).toEqual({
        delivery: order === 'unknown' ? 'unknown' : 'partial',
        sent_parts: 1,
        message_id: expect.stringMatching(/^msg_/),
      });
      const envelope = await bench.inbox().message(error.details.message_id);
      expect(envelope).toMatchObject({ text: platform.delivered.at(-1)?.text, direction: 'outbound' });
      expect(envelope.raw).toMatchObject({ delivery: error.details.delivery });
      expect(envelope.raw.parts).toHaveLength(1);
    }
    expect(platform.calls).toBe(6);
  });

  test.each(['hang', 'deaf', 'lost'] as const)(
    'a platform that gives no answer (%s) is given up after 45 s, as unknown',
    async (order) => {
      const { bench, platform, send } = await desk(engine);
      platform.orders.push(order);
      const sending = send({}, 'key').catch((error) => error);
      await bench.clock.untilSleeping(2);
      await bench.clock.advance(45_000);
      expect(await sending).toMatchObject({
        code: 'PLATFORM_SEND_FAILED',
        details: { delivery: 'unknown' },
      });
      expect(bench.clock.sleeping).toBe(0);
      await expect(send({}, 'key')).rejects.toMatchObject({
        details: { delivery: 'unknown' },
        headers: { 'idempotency-replayed': 'true' },
      });
      expect(platform.calls).toBe(1);
    },
  );

  test('however text and limits lie, every part fits and nothing of the words is lost', async () => {
    const word = fc.stringMatching(/^[a-zäß😀]{1,15}$/u);
    let limit = 50;
    const { platform, send } = await desk(
      engine,
      {},
      {
        get capabilities() {
          return { ...short.capabilities, text: { limit, unit: 'utf16' as const } };
        },
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 40, max: 80 }),
        async (words, most) => {
          limit = most;
          const before = platform.delivered.length;
          await send({ text: words.join(' ') });
          const parts = platform.delivered.slice(before).map((part) => part.text);
          for (const part of parts) expect(part.length).toBeLessThanOrEqual(limit);
          expect(parts.join(' ').split(/\s+/).join('')).toBe(words.join(''));
        },
      ),
      { numRuns: engine === 'sqlite' ? 30 : 10 },
    );
  });
});
