import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { waitForMessages } from './wait.ts';

const never = () => new AbortController().signal;

/** A list with wait, as the operation asks for it; says whether it has answered yet. */
function waiting(bench: InboxBench, seconds: number, filter = {}, signal = never()) {
  const state = { answered: false };
  const answer = bench
    .inbox()
    .listUnread(
      { agentId: 'a', sinceMicroseconds: null, source: null, channelId: null, limit: 10, ...filter },
      seconds,
      signal,
    )
    .finally(() => {
      state.answered = true;
    });
  return { state, answer };
}

/** Lets everything that can happen without a clock happen: a round trip to the database and back, some times. */
async function settle(bench: InboxBench): Promise<void> {
  for (let round = 0; round < 5; round += 1) await bench.unread('a');
}

describeEngines('waiting for something unread', (engine) => {
  test('what is there is answered at once, without waiting', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(messageEvent({ text: 'here' }));
    const { messages } = await waiting(bench, 60).answer;
    expect(messages.map(({ text }) => text)).toEqual(['here']);
    expect(bench.clock.sleeping).toBe(0);
  });

  test('with nothing to come the answer is empty when the time is up, not before, and echoes since', async () => {
    const bench = await inboxBench(engine);
    const { state, answer } = waiting(bench, 30, { sinceMicroseconds: 5_000_000 });
    await bench.clock.untilSleeping();
    await bench.clock.advance(29_999);
    await settle(bench);
    expect(state.answered).toBe(false);
    await bench.clock.advance(1);
    expect(await answer).toEqual({ messages: [], next_since: '1970-01-01T00:00:05.000000Z' });
  });

  test('wait 0 does not wait', async () => {
    const bench = await inboxBench(engine);
    expect(await waiting(bench, 0).answer).toEqual({ messages: [], next_since: null });
  });

  test('a message that comes ends the wait, from this process or another', async () => {
    const bench = await inboxBench(engine);
    const other = engine === 'postgres' ? await bench.again(bench.clock) : bench;
    await bench.allow('ana');
    const { answer } = waiting(bench, 60);
    await bench.clock.untilSleeping();
    await other.accept(messageEvent({ text: 'new' }));
    expect((await answer).messages.map(({ text }) => text)).toEqual(['new']);
  });

  test('a release and an allowlist entry with release end the wait', async () => {
    const bench = await inboxBench(engine);
    const [one, two] = ['eve', 'ben'].map((id) => messageEvent({ sender: { id, displayName: id } }));
    await bench.accept(one!, two!);
    const first = waiting(bench, 60);
    await bench.clock.untilSleeping();
    await bench.inbox().release((await bench.stored(one!.platformId)).message_id, 'test');
    const { next_since } = await first.answer;
    expect(next_since).not.toBeNull();
    const since = (await bench.stored(one!.platformId)).received_us;
    const second = waiting(bench, 60, { sinceMicroseconds: since });
    await bench.clock.untilSleeping();
    await bench.inbox().allow({ source: 'local', senderId: 'ben', release: true, actor: 'test' });
    expect((await second.answer).messages.map(({ text }) => text)).toEqual([two!.text]);
  });

  test('what does not match the filter, or comes from a stranger, does not end the wait', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const { state, answer } = waiting(bench, 60, { channelId: 'local:quiet' });
    await bench.clock.untilSleeping();
    await bench.accept(
      messageEvent(),
      messageEvent({
        channel: { id: 'local:quiet', type: 'group' },
        sender: { id: 'eve', displayName: 'Eve' },
      }),
    );
    await settle(bench);
    expect(state.answered).toBe(false);
    await bench.accept(messageEvent({ text: 'hit', channel: { id: 'local:quiet', type: 'group' } }));
    expect((await answer).messages.map(({ text }) => text)).toEqual(['hit']);
  });

  test('a caller that goes, or a server that stops, ends the wait and leaves nothing waiting', async () => {
    const bench = await inboxBench(engine);
    const gone = new AbortController();
    const { answer } = waiting(bench, 60, {}, gone.signal);
    await bench.clock.untilSleeping();
    gone.abort();
    expect(await answer).toEqual({ messages: [], next_since: null });
    expect(bench.clock.sleeping).toBe(0);
    expect(await waiting(bench, 60, {}, AbortSignal.abort()).answer).toMatchObject({ messages: [] });
  });

  test('a message that comes between the look and the wait is not missed', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    let looks = 0;
    const rows = await waitForMessages(
      bench.ports,
      { count: 0 },
      async () => {
        looks += 1;
        const page = await bench.unread('a');
        if (looks === 1) await bench.accept(messageEvent({ text: 'in between' }));
        return page;
      },
      60,
      never(),
    );
    expect(rows.map((row) => row.text)).toEqual(['in between']);
  });

  test('more callers than may wait are answered at once, and a failing look leaves no one counted', async () => {
    const bench = await inboxBench(engine);
    const list = () => bench.unread('a');
    expect(await waitForMessages(bench.ports, { count: 1_000 }, list, 60, never())).toEqual([]);
    const count = { count: 0 };
    const failing = () => Promise.reject(new Error('database gone'));
    await expect(waitForMessages(bench.ports, count, failing, 60, never())).rejects.toThrow('gone');
    expect([count.count, bench.clock.sleeping]).toEqual([0, 0]);
  });

  test('many wait at once and all are answered by one message', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const callers = Array.from({ length: 50 }, () => waiting(bench, 60));
    await bench.clock.untilSleeping(50);
    await bench.accept(messageEvent({ text: 'all' }));
    for (const { answer } of callers) expect((await answer).messages).toHaveLength(1);
  });
});
