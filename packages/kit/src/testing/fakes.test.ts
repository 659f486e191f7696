import { describe, expect, test } from 'vitest';
import { fakeClock, seededRandom } from './index.ts';

describe('fakeClock', () => {
  test('stands still until it is moved', async () => {
    const clock = fakeClock(1_000_000);
    expect(clock.nowMicroseconds()).toBe(1_000_000);
    await clock.advance(1.5);
    expect(clock.nowMicroseconds()).toBe(1_001_500);
    clock.set(5);
    expect(clock.nowMicroseconds()).toBe(5);
  });

  test('wakes sleepers in the order of their due times, each at its own', async () => {
    const clock = fakeClock(0);
    const woken: [string, number][] = [];
    const sleeper = async (name: string, milliseconds: number) => {
      await clock.sleep(milliseconds);
      woken.push([name, clock.nowMicroseconds()]);
    };
    const all = [sleeper('late', 30), sleeper('early', 10), sleeper('never', 100)];
    expect(clock.sleeping).toBe(3);
    await clock.advance(50);
    expect(woken).toEqual([
      ['early', 10_000],
      ['late', 30_000],
    ]);
    expect(clock.sleeping).toBe(1);
    await clock.advance(50);
    await Promise.all(all);
    expect(woken).toHaveLength(3);
  });

  test('wakes a loop that sleeps again as often as the span holds', async () => {
    const clock = fakeClock(0);
    const stop = new AbortController();
    const ticks: number[] = [];
    const loop = (async () => {
      while (!stop.signal.aborted) {
        await clock.sleep(10, stop.signal);
        ticks.push(clock.nowMicroseconds() / 1_000);
      }
    })();
    await clock.advance(35);
    expect(ticks).toEqual([10, 20, 30]);
    stop.abort();
    await loop;
    expect(clock.sleeping).toBe(0);
  });

  test('does not put to sleep what is aborted or has no time to wait', async () => {
    const clock = fakeClock();
    await clock.sleep(1_000, AbortSignal.abort());
    await clock.sleep(0);
    expect(clock.sleeping).toBe(0);
  });

  test('tells when so many sleep', async () => {
    const clock = fakeClock();
    const two = clock.untilSleeping(2);
    const first = clock.sleep(1);
    await clock.untilSleeping();
    const second = clock.sleep(1);
    await two;
    await clock.untilSleeping(2);
    await clock.advance(1);
    await Promise.all([first, second]);
  });
});

describe('seededRandom', () => {
  test('repeats itself for a seed and differs between seeds', () => {
    expect(seededRandom(7).bytes(64)).toEqual(seededRandom(7).bytes(64));
    expect(seededRandom(7).bytes(64)).not.toEqual(seededRandom(8).bytes(64));
    const random = seededRandom(7);
    expect(random.bytes(16)).not.toEqual(random.bytes(16));
  });

  test('uses all byte values about equally', () => {
    const counts = new Map<number, number>();
    for (const byte of seededRandom(1).bytes(256 * 200)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
    expect(counts.size).toBe(256);
    expect(Math.min(...counts.values())).toBeGreaterThan(100);
    expect(Math.max(...counts.values())).toBeLessThan(300);
  });
});
