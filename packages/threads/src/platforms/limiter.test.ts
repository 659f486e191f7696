import { fakeClock } from '@postern/kit/testing';
import { describe, expect, test } from 'vitest';
import { outboundLimiter, type Rate } from './limiter.ts';

function limiterOf(rates: Record<string, Rate>, queue?: number) {
  const clock = fakeClock(0);
  const limiter = outboundLimiter({
    clock,
    rateOf: (key) => rates[key] ?? null,
    ...(queue === undefined ? {} : { queue }),
  });
  const out: [string, number][] = [];
  const call = async (name: string, keys: string[], signal?: AbortSignal) => {
    await limiter.take(keys, signal);
    out.push([name, clock.nowMicroseconds() / 1_000]);
  };
  return { clock, limiter, out, call };
}

describe('the outbound limiter', () => {
  test('lets a burst through and then one call after the other at the rate, in their order', async () => {
    const { clock, out, call } = limiterOf({ post: { perSecond: 2, burst: 2 } });
    const calls = ['a', 'b', 'c', 'd'].map((name) => call(name, ['post']));
    await clock.advance(0);
    await clock.advance(2_000);
    await Promise.all(calls);
    expect(out).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 500],
      ['d', 1_000],
    ]);
  });

  test('counts each key by itself', async () => {
    const { out, call } = limiterOf({ one: { perSecond: 1, burst: 1 }, two: { perSecond: 1, burst: 1 } });
    await Promise.all([call('a', ['one']), call('b', ['two']), call('c', ['free']), call('d', ['free'])]);
    expect(out.map(([, at]) => at)).toEqual([0, 0, 0, 0]);
  });

  test('a call that waits for its channel takes nothing from its method', async () => {
    const rates = { slow: { perSecond: 1, burst: 1 }, method: { perSecond: 1, burst: 2 } };
    const { clock, out, call } = limiterOf(rates);
    await call('a', ['slow', 'method']);
    const waiting = call('b', ['slow', 'method']);
    await call('c', ['other', 'method']);
    await clock.advance(1_000);
    await waiting;
    expect(out).toEqual([
      ['a', 0],
      ['c', 0],
      ['b', 1_000],
    ]);
  });

  test('lets nothing of a held key out until its time, those who wait already included', async () => {
    const { clock, limiter, out, call } = limiterOf({ post: { perSecond: 1, burst: 1 } });
    await call('a', ['post']);
    const waiting = call('b', ['post']);
    await clock.advance(500);
    limiter.hold('post', 10_000);
    limiter.hold('post', 1_000);
    await clock.advance(9_999);
    expect(out).toHaveLength(1);
    await clock.advance(1);
    await waiting;
    expect(out[1]).toEqual(['b', 10_500]);
  });

  test('holds a key that has no rate', async () => {
    const { clock, limiter, out, call } = limiterOf({});
    limiter.hold('any', 300);
    const calls = [call('a', ['any']), call('b', ['any'])];
    await clock.advance(300);
    await Promise.all(calls);
    expect(out.map(([, at]) => at)).toEqual([300, 300]);
  });

  test('refuses at once when too many wait', async () => {
    const { clock, out, call } = limiterOf({ post: { perSecond: 1, burst: 1 } }, 2);
    await call('a', ['post']);
    const waiting = [call('b', ['post']), call('c', ['post'])];
    await expect(call('d', ['post'])).rejects.toMatchObject({ code: 'unavailable' });
    await clock.advance(2_000);
    await Promise.all(waiting);
    expect(out.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  });

  test('a call that is given up leaves its place to the next', async () => {
    const { clock, out, call } = limiterOf({ post: { perSecond: 1, burst: 1 } });
    await call('a', ['post']);
    const giving = new AbortController();
    const given = call('b', ['post'], giving.signal);
    const next = call('c', ['post']);
    giving.abort();
    await expect(given).rejects.toMatchObject({ code: 'unavailable' });
    await clock.advance(1_000);
    await next;
    expect(out).toEqual([
      ['a', 0],
      ['c', 1_000],
    ]);
    await expect(call('d', ['post'], giving.signal)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('nothing goes on sleeping when the last call was given up, and the next is served all the same', async () => {
    const { clock, out, call } = limiterOf({ post: { perSecond: 1, burst: 1 } });
    await call('a', ['post']);
    const giving = new AbortController();
    const given = call('b', ['post'], giving.signal);
    giving.abort();
    const next = call('c', ['post']);
    await expect(given).rejects.toMatchObject({ code: 'unavailable' });
    expect(clock.sleeping).toBe(1);
    await clock.advance(1_000);
    await next;
    expect(out.map(([name]) => name)).toEqual(['a', 'c']);
    expect(clock.sleeping).toBe(0);
  });

  test('a clock that is set back neither gives nor takes calls', async () => {
    const { clock, out, call } = limiterOf({ post: { perSecond: 1, burst: 1 } });
    clock.set(5_000_000);
    await call('a', ['post']);
    clock.set(1_000_000);
    const next = call('b', ['post']);
    await clock.advance(1_000);
    await next;
    expect(out[1]).toEqual(['b', 2_000]);
  });

  test('forgets full buckets when there are many, and remembers the others', async () => {
    const clock = fakeClock(0);
    const asked: string[] = [];
    const limiter = outboundLimiter({
      clock,
      rateOf(key) {
        asked.push(key);
        return { perSecond: 1, burst: 1 };
      },
    });
    await limiter.take(['old']);
    await clock.advance(1_000);
    await limiter.take(['used']);
    limiter.hold('held', 5_000);
    for (let index = 0; index < 1_000; index += 1) await limiter.take([`k${index}`]);
    asked.length = 0;
    const again = Promise.all([limiter.take(['old']), limiter.take(['used']), limiter.take(['held'])]);
    await clock.advance(5_000);
    await again;
    expect(asked).toEqual(['old']);
  });
});
