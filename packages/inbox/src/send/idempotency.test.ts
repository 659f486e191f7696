import { fakeClock } from '@postern/kit/testing';
import { reclaimAfterRestart } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { InboxCaller } from '../context.ts';
import {
  type FakeConnector,
  fakeConnector,
  type InboxBench,
  inboxBench,
  messageEvent,
} from '../testing/index.ts';
import { type SendRequest, sendMessage } from './send.ts';

const agent = (agentId: string | null, credential = 'bearer'): InboxCaller => ({
  kind: 'bearer',
  credential,
  agentId,
});

interface Attempt {
  readonly text?: string;
  readonly caller?: InboxCaller;
  readonly request?: Partial<SendRequest>;
}

function sendOn(bench: InboxBench, platform: FakeConnector, key: string | null, attempt: Attempt = {}) {
  return sendMessage(
    bench.ports,
    () => platform,
    { channel_id: 'local:team', text: attempt.text ?? 'hi', ...attempt.request },
    attempt.caller ?? agent('a'),
    key,
    new AbortController().signal,
  );
}

async function desk(engine: 'sqlite' | 'postgres') {
  const bench = await inboxBench(engine, { config: { rateLimit: { perSecond: 100, burst: 1_000 } } });
  await bench.allow('ana');
  await bench.accept(messageEvent({ platformId: 'hello' }));
  return { bench, platform: fakeConnector() };
}

const messagesOf = (bench: InboxBench) =>
  bench.ports.store.db
    .selectFrom('inbox_messages')
    .select('text')
    .where('direction', '=', 'outbound')
    .orderBy('message_id')
    .execute();

const replayedHeader = { 'idempotency-replayed': 'true' };

describeEngines('an idempotency key', (engine) => {
  test('sends once, and gives the same answer again for a day', async () => {
    const { bench, platform } = await desk(engine);
    const first = await sendOn(bench, platform, 'k');
    expect(first.replayed).toBe(false);
    await bench.clock.advance(24 * 3_600_000 - 1);
    expect(await sendOn(bench, platform, 'k')).toEqual({ answer: first.answer, replayed: true });
    expect(platform.calls).toBe(1);
    await bench.clock.advance(1);
    const later = await sendOn(bench, platform, 'k');
    expect(later.replayed).toBe(false);
    expect(later.answer.message_id).not.toBe(first.answer.message_id);
    expect(platform.calls).toBe(2);
  });

  test('without one nothing is deduplicated', async () => {
    const { bench, platform } = await desk(engine);
    await sendOn(bench, platform, null);
    await sendOn(bench, platform, null);
    expect(platform.calls).toBe(2);
    expect(await messagesOf(bench)).toHaveLength(2);
  });

  test('with another body it is refused: any field counts, absent and empty lists do not', async () => {
    const { bench, platform } = await desk(engine);
    await sendOn(bench, platform, 'k');
    const { message_id } = await bench.stored('hello');
    await bench.accept(messageEvent({ channel: { id: 'local:other', type: 'group' } }));
    for (const request of [
      { text: 'hi ' },
      { reply_to: message_id },
      { channel_id: 'local:other' },
      { attachments: [{ path: '/a' }] },
      { attachments: [{ url: 'https://example.com/a' }] },
    ])
      await expect(sendOn(bench, platform, 'k', { request })).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSE',
        status: 422,
      });
    expect(await sendOn(bench, platform, 'k', { request: { attachments: [] } })).toMatchObject({
      replayed: true,
    });
    expect(platform.calls).toBe(1);
  });

  test('belongs to its agent, or, without one, to its credential', async () => {
    const { bench, platform } = await desk(engine);
    const callers = [agent('a'), agent('b'), agent(null), agent(null, 'tok_1')];
    for (const caller of callers) await sendOn(bench, platform, 'k', { caller });
    expect(platform.calls).toBe(4);
    for (const caller of callers)
      expect(await sendOn(bench, platform, 'k', { caller })).toMatchObject({ replayed: true });
    expect(platform.calls).toBe(4);
  });

  test('used many times at once, in two processes, reaches the platform exactly once', async () => {
    const { bench, platform } = await desk(engine);
    const other = await bench.again(bench.clock);
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) => sendOn(index % 2 ? bench : other, platform, 'k')),
    );
    expect(platform.calls).toBe(1);
    expect(await messagesOf(bench)).toHaveLength(1);
    const answers = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ answer }) => answer.message_id)).size).toBe(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({
          code: 'IDEMPOTENCY_IN_PROGRESS',
          status: 409,
          retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 5),
        });
  });

  test('while the send runs, the same body is told to wait and another is refused', async () => {
    const { bench, platform } = await desk(engine);
    platform.orders.push('hang');
    const running = sendOn(bench, platform, 'k').catch((error) => error);
    await bench.clock.untilSleeping(3);
    await expect(sendOn(bench, platform, 'k')).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    await expect(sendOn(bench, platform, 'k', { text: 'other' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSE',
    });
    await bench.clock.advance(45_000);
    await running;
    expect(platform.calls).toBe(1);
  });

  test('a send that takes long keeps its key for as long as its process lives, in the eyes of others too', async () => {
    const { bench, platform } = await desk(engine);
    platform.orders.push('hang');
    const running = sendOn(bench, platform, 'k').catch((error) => error);
    await bench.clock.untilSleeping(3);
    for (let waited = 0; waited < 40; waited += 5) {
      await bench.clock.advance(5_000);
      // The renewal asks the database, which the clock does not wait for.
      await bench.clock.untilSleeping(3);
      const other = await bench.again(fakeClock(bench.clock.nowMicroseconds()));
      await expect(sendOn(other, platform, 'k')).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    }
    await bench.clock.advance(5_000);
    expect(await running).toMatchObject({ details: { delivery: 'unknown' } });
    expect(platform.calls).toBe(1);
  });

  test('the platform’s refusal is kept and given again word for word, without asking it again', async () => {
    const { bench, platform } = await desk(engine);
    for (const order of ['failed', 'auth', 'too_large', 'unknown'] as const) {
      platform.orders.push(order);
      const first = await sendOn(bench, platform, order).catch((error) => error);
      const again = await sendOn(bench, platform, order).catch((error) => error);
      expect(first.headers).toEqual({});
      expect(again).toMatchObject({
        code: first.code,
        status: first.status,
        message: first.message,
        details: first.details,
        headers: replayedHeader,
      });
    }
    expect(platform.calls).toBe(4);
  });

  test('a partial send is not completed by a replay', async () => {
    const { bench } = await desk(engine);
    const platform = fakeConnector({
      capabilities: {
        text: { limit: 12, unit: 'utf16' },
        attachments: { maxCount: 1, maxBytes: 1 },
        typing: false,
        replies: true,
      },
    });
    platform.orders.push('deliver', 'failed');
    const attempt = { text: 'first part. second part.' };
    const first = await sendOn(bench, platform, 'k', attempt).catch((error) => error);
    const again = await sendOn(bench, platform, 'k', attempt).catch((error) => error);
    expect(again.details).toEqual(first.details);
    expect(platform.calls).toBe(2);
    expect(await messagesOf(bench)).toHaveLength(1);
  });

  test('what fails before the platform is called is forgotten: the key may be used again, also for another body', async () => {
    const { bench, platform } = await desk(engine);
    for (const request of [
      { reply_to: 'msg_00000000000000000000000000' },
      { attachments: [{ path: '/nowhere' }] },
      { attachments: [{ url: 'http://127.0.0.1:8080/attachments/att_00000000000000000000000000' }] },
      { channel_id: 'local:none' },
    ])
      await expect(sendOn(bench, platform, 'k', { request })).rejects.toThrow();
    expect(platform.calls).toBe(0);
    expect(await sendOn(bench, platform, 'k', { text: 'now' })).toMatchObject({ replayed: false });
    expect(await bench.ports.store.db.selectFrom('idempotency_keys').selectAll().execute()).toHaveLength(1);
  });

  test('a process that dies after the platform was called leaves it unknown; a replay never sends again', async () => {
    const { bench, platform } = await desk(engine);
    platform.orders.push('lost');
    void sendOn(bench, platform, 'k').catch(() => undefined);
    await bench.clock.untilSleeping(3);
    // The process is gone; the next one finds the record. With SQLite it knows at once, else when the lease is over.
    const next = await bench.again(
      fakeClock(bench.clock.nowMicroseconds() + (engine === 'sqlite' ? 1 : 30_000_000)),
    );
    await reclaimAfterRestart(next.ports.store);
    for (let round = 0; round < 2; round += 1)
      await expect(sendOn(next, platform, 'k')).rejects.toMatchObject({
        code: 'PLATFORM_SEND_FAILED',
        status: 502,
        details: { delivery: 'unknown' },
        headers: replayedHeader,
      });
    await expect(sendOn(next, platform, 'k', { text: 'other' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSE',
    });
    expect(platform.calls).toBe(1);
    expect(await sendOn(next, platform, 'fresh')).toMatchObject({ replayed: false });
  });

  test('a process that dies before the platform was called leaves the key free', async () => {
    const { bench, platform } = await desk(engine);
    const held = {
      ...bench.ports,
      fetchAttachment: () => new Promise<never>(() => undefined),
      config: { ...bench.ports.config, attachments: { ...bench.ports.config.attachments, fetchUrls: true } },
    };
    const request = { channel_id: 'local:team', text: 'hi', attachments: [{ url: 'https://example.com/a' }] };
    void sendMessage(held, () => platform, request, agent('a'), 'k', new AbortController().signal).catch(
      () => undefined,
    );
    const keys = () => bench.ports.store.db.selectFrom('idempotency_keys').selectAll().execute();
    while ((await keys()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const next = await bench.again(
      fakeClock(bench.clock.nowMicroseconds() + (engine === 'sqlite' ? 1 : 30_000_000)),
    );
    await reclaimAfterRestart(next.ports.store);
    expect(await sendOn(next, platform, 'k')).toMatchObject({ replayed: false });
    expect(platform.calls).toBe(1);
  });

  /**
   * The same inbox, whose database fails as many times as a send is to be recorded: before the commit, or after
   * it, so that the answer is lost.
   */
  const failing = (bench: InboxBench, times: number, when: 'before' | 'after' = 'before'): InboxBench => {
    const { ports } = bench;
    let transactions = 0;
    const transaction: typeof ports.store.transaction = async (work, options) => {
      transactions += 1;
      // The first is the key's; those behind it would record the message.
      const fails = transactions > 1 && transactions <= 1 + times;
      if (fails && when === 'before') throw new Error('database gone');
      const result = await ports.store.transaction(work, options);
      if (fails) throw new Error('no answer from the database');
      return result;
    };
    return { ...bench, ports: { ...ports, store: { ...ports.store, transaction } } };
  };

  /** Lets the pauses between tries go by. */
  async function patiently<Result>(bench: InboxBench, work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await bench.clock.advance(1_000);
    return work;
  }

  test.each(['before', 'after'] as const)(
    'when the database fails for a moment %s it commits, the send is recorded once all the same',
    async (when) => {
      const { bench, platform } = await desk(engine);
      const sent = await patiently(bench, sendOn(failing(bench, 1, when), platform, 'k'));
      expect(await sendOn(bench, platform, 'k')).toEqual({ answer: sent.answer, replayed: true });
      expect(await messagesOf(bench)).toHaveLength(1);
      expect(platform.calls).toBe(1);
    },
  );

  test('when recording fails after the platform took it, it is unknown at once, and never sent again', async () => {
    const { bench, platform } = await desk(engine);
    const unknown = { code: 'PLATFORM_SEND_FAILED', details: { delivery: 'unknown' } };
    await expect(patiently(bench, sendOn(failing(bench, 9), platform, 'k'))).rejects.toMatchObject(unknown);
    await expect(sendOn(bench, platform, 'k')).rejects.toMatchObject({ ...unknown, headers: replayedHeader });
    expect(platform.calls).toBe(1);
    const errors = bench.log.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toEqual(['what came of a send could not be recorded']);
  });

  test('when recording fails of what the platform refused, the refusal is told and the key is free', async () => {
    const { bench, platform } = await desk(engine);
    platform.orders.push('auth');
    const refused = patiently(bench, sendOn(failing(bench, 9), platform, 'k'));
    await expect(refused).rejects.toMatchObject({ code: 'PLATFORM_AUTH' });
    expect(await sendOn(bench, platform, 'k')).toMatchObject({ replayed: false });
  });
});
