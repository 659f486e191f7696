import { afterEach, describe, expect, test, vi } from 'vitest';
import { nowMilliseconds } from './clock.ts';
import { systemClock, systemRandom } from './system.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('systemClock', () => {
  test('tells whole microseconds, and the milliseconds of the wall clock', () => {
    vi.useFakeTimers({ now: 1_777_131_131_123 });
    expect(systemClock.nowMicroseconds()).toBe(1_777_131_131_123_000);
    expect(nowMilliseconds(systemClock)).toBe(1_777_131_131_123);
  });

  test('wakes at once when its signal aborts, before or while sleeping', async () => {
    await systemClock.sleep(3_600_000, AbortSignal.abort());
    const controller = new AbortController();
    const sleep = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await sleep;
  });

  test.each([1_000, 2 ** 31 + 1_000, 2 ** 33])(
    'sleeps %d ms, also where a timer holds less',
    async (wait) => {
      vi.useFakeTimers();
      let awake = false;
      const sleep = systemClock.sleep(wait).then(() => {
        awake = true;
      });
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(awake).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await sleep;
    },
  );

  test('takes nothing and less than nothing as no wait', async () => {
    await systemClock.sleep(0);
    await systemClock.sleep(-5);
  });
});

test('systemRandom gives as many bytes as asked, and others each time', () => {
  expect(systemRandom.bytes(0)).toHaveLength(0);
  expect(systemRandom.bytes(32)).toHaveLength(32);
  expect(systemRandom.bytes(32)).not.toEqual(systemRandom.bytes(32));
});
