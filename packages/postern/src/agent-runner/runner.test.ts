import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import { type RunnerLimits, runAgent, type UnreadMessage } from './runner.ts';

const limits: RunnerLimits = { channels: 2, attempts: 3, failures: 5, firstPauseMs: 10, longestPauseMs: 40 };

/** A hub in memory, and an agent program that the test answers for. */
function bench(
  messages: UnreadMessage[],
  act: (channelId: string, ids: readonly string[]) => Promise<boolean>,
) {
  const clock = fakeClock();
  const stop = new AbortController();
  const unread = [...messages];
  const runs: { channelId: string; ids: readonly string[] }[] = [];
  const told: string[] = [];
  let failures = 0;
  const done = runAgent(
    {
      clock: {
        ...clock,
        nowMicroseconds: () => clock.nowMicroseconds(),
        // Time passes as soon as somebody waits for it.
        sleep: async (milliseconds) => {
          clock.set(clock.nowMicroseconds() + milliseconds * 1_000);
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
      async unread() {
        if (failures > 0) {
          failures -= 1;
          throw new Error('connection refused');
        }
        return [...unread];
      },
      async run(channelId, ids) {
        runs.push({ channelId, ids });
        return act(channelId, ids);
      },
      tell: (line) => told.push(line),
    },
    stop.signal,
    limits,
  );
  const read = (ids: readonly string[]) => {
    for (const id of ids) {
      const index = unread.findIndex((message) => message.id === id);
      if (index >= 0) unread.splice(index, 1);
    }
  };
  return {
    runs,
    told,
    unread,
    read,
    failTimes: (times: number) => {
      failures = times;
    },
    stop: async () => {
      stop.abort();
      await done;
    },
  };
}

const message = (id: string, channelId = 'a'): UnreadMessage => ({ id, channelId });

test('a channel has one agent at a time, and what came meanwhile is for the next one', async () => {
  const gate = Promise.withResolvers<void>();
  const at = bench([message('1'), message('2')], async (_channel, ids) => {
    if (ids.includes('1')) await gate.promise;
    at.read(ids);
    return true;
  });
  await expect.poll(() => at.runs.length).toBe(1);
  at.unread.push(message('3'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(at.runs).toEqual([{ channelId: 'a', ids: ['1', '2'] }]);
  gate.resolve();
  await expect.poll(() => at.runs.at(-1)).toEqual({ channelId: 'a', ids: ['3'] });
  await at.stop();
});

test('no more channels are worked on at once than allowed', async () => {
  const gate = Promise.withResolvers<void>();
  let now = 0;
  let most = 0;
  const at = bench(
    ['a', 'b', 'c', 'd'].map((channel) => message(channel, channel)),
    async (_channel, ids) => {
      now += 1;
      most = Math.max(most, now);
      await gate.promise;
      now -= 1;
      at.read(ids);
      return true;
    },
  );
  await expect.poll(() => at.runs.length).toBe(2);
  gate.resolve();
  await expect.poll(() => at.runs.length).toBe(4);
  expect(most).toBe(2);
  await at.stop();
});

test('what an agent leaves unread is tried three times and then left to people; others go on', async () => {
  const at = bench([message('stuck')], async (_channel, ids) => {
    at.read(ids.filter((id) => id !== 'stuck'));
    return true;
  });
  await expect.poll(() => at.runs.length).toBe(3);
  at.unread.push(message('fresh'));
  await expect.poll(() => at.runs.at(-1)?.ids).toEqual(['fresh']);
  expect(at.runs.length).toBe(4);
  expect(at.told.some((line) => line.includes('last time'))).toBe(true);
  await at.stop();
});

test('a message on which the program fails holds up nobody, and is given up in the end', async () => {
  const at = bench([message('poison')], async (_channel, ids) => {
    at.read(ids.filter((id) => id !== 'poison'));
    return !ids.includes('poison');
  });
  await expect.poll(() => at.runs.length).toBe(5);
  at.unread.push(message('fresh'));
  await expect.poll(() => at.runs.at(-1)?.ids).toEqual(['fresh']);
  expect(at.runs.length).toBe(6);
  expect(at.told.some((line) => line.includes('poison is left to people'))).toBe(true);
  await at.stop();
});

test('a program that is away for a while costs nobody their answer', async () => {
  let away = 4;
  const at = bench([message('1'), message('2', 'b')], async (_channel, ids) => {
    if (away > 0) {
      away -= 1;
      return false;
    }
    at.read(ids);
    return true;
  });
  await expect.poll(() => at.unread).toEqual([]);
  expect(at.told.some((line) => line.includes('left to people'))).toBe(false);
  await at.stop();
});

test('a hub that is away is asked again', async () => {
  const at = bench([], async () => true);
  at.failTimes(3);
  await expect.poll(() => at.told.length).toBe(3);
  at.unread.push(message('1'));
  await expect.poll(() => at.runs.length).toBeGreaterThan(0);
  await at.stop();
});
