import { fakeClock, seededRandom } from '@postern/kit/testing';
import { describe, expect, test } from 'vitest';
import { PlatformError } from './platform.ts';
import {
  backoffMs,
  type Call,
  CallFault,
  faultOfError,
  faultOfStatus,
  parseRetryAfter,
  retrying,
} from './retry.ts';

/** A call that plays these answers in turn, the last one for ever; an Error is thrown. */
function scripted(answers: readonly (CallFault | Error | string)[]) {
  const clock = fakeClock(0);
  const call = retrying({ clock, random: seededRandom(1), tries: 3 });
  const at: number[] = [];
  const run = (options: Partial<Call<string>> = {}) =>
    call({
      name: 'post a message',
      isIdempotent: false,
      async attempt() {
        const answer = answers[Math.min(at.length, answers.length - 1)] ?? '';
        at.push(clock.nowMicroseconds() / 1_000);
        if (typeof answer === 'string') return answer;
        throw answer;
      },
      ...options,
    });
  return { clock, call, at, run };
}

const busy = (retryAfterMs: number | null) => new CallFault('busy', 'slow down', { retryAfterMs });
const unreached = new CallFault('unreached', 'nobody there');
const lost = new CallFault('lost', 'cut off');

describe('a call to a platform', () => {
  test('waits as long as the platform asks and goes out again, posts too', async () => {
    const { clock, at, run } = scripted([busy(7_000), 'posted']);
    const told: number[] = [];
    const result = run({ onBusy: (wait) => told.push(wait) });
    await clock.advance(0);
    await clock.advance(7_000);
    expect(await result).toBe('posted');
    expect(at).toEqual([0, 7_000]);
    expect(told).toEqual([7_000]);
  });

  test('a post that did not reach the platform is tried again, but not for ever', async () => {
    const { clock, at, run } = scripted([unreached]);
    const result = expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    await clock.advance(60_000);
    await result;
    expect(at).toHaveLength(3);
  });

  test('a post whose answer was lost is not sent again', async () => {
    const { at, run } = scripted([lost, 'posted twice']);
    await expect(run()).rejects.toMatchObject({ code: 'unknown' });
    expect(at).toHaveLength(1);
  });

  test('a call that may be repeated is, when its answer was lost', async () => {
    const { clock, at, run } = scripted([lost, lost, 'read']);
    const result = run({ isIdempotent: true });
    await clock.advance(60_000);
    expect(await result).toBe('read');
    expect(at).toHaveLength(3);
  });

  test('one whose answers are all lost ends unknown', async () => {
    const { clock, run } = scripted([lost]);
    const result = expect(run({ isIdempotent: true })).rejects.toMatchObject({ code: 'unknown' });
    await clock.advance(60_000);
    await result;
  });

  test('a pause longer than anybody waits makes it unavailable at once', async () => {
    const { at, run } = scripted([busy(3_600_000)]);
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    expect(at).toEqual([0]);
  });

  test('a refusal is final', async () => {
    const refusal = new PlatformError('refused', 'too rude');
    const { at, run } = scripted([refusal]);
    await expect(run({ isIdempotent: true })).rejects.toBe(refusal);
    expect(at).toHaveLength(1);
  });

  test('an attempt that never answers is over at the deadline, whether it heeds the signal or not', async () => {
    const { clock, call } = scripted([]);
    const signals: AbortSignal[] = [];
    const deaf = call({
      name: 'post',
      isIdempotent: false,
      deadlineMs: 5_000,
      attempt: (signal) => {
        signals.push(signal);
        return new Promise<never>(() => {});
      },
    });
    const heeding = call({
      name: 'post',
      isIdempotent: false,
      attempt: (signal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const both = Promise.all([
      expect(deaf).rejects.toMatchObject({ code: 'unknown' }),
      expect(heeding).rejects.toMatchObject({ code: 'unknown' }),
    ]);
    await clock.advance(4_999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(60_000);
    await both;
    expect(signals[0]?.aborted).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  test('who gives a call up before it went out knows that nothing was done', async () => {
    const { at, run } = scripted(['posted']);
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'unavailable' });
    expect(at).toEqual([]);
  });

  test('who gives it up on its way does not', async () => {
    const { call, run, clock } = scripted([unreached]);
    const giving = new AbortController();
    const underway = call({
      name: 'post',
      isIdempotent: false,
      signal: giving.signal,
      attempt: () => new Promise<never>(() => {}),
    });
    const waiting = run({ signal: giving.signal });
    await clock.untilSleeping(2);
    giving.abort();
    await expect(underway).rejects.toMatchObject({ code: 'unknown' });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('what went wrong', () => {
  test.each([
    ['ECONNREFUSED', 'unreached'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreached'],
    ['ECONNRESET', 'lost'],
    ['UND_ERR_SOCKET', 'lost'],
    [null, 'lost'],
  ])('of a failed fetch with the code %s is %s', (code, kind) => {
    const cause = code === null ? undefined : Object.assign(new Error('inner'), { code });
    expect(faultOfError(new TypeError('fetch failed', { cause })).kind).toBe(kind);
  });

  test('of a status: 429 was not done, 5xx may have been, the rest are answers', () => {
    expect(faultOfStatus(429, 1_000)).toMatchObject({ kind: 'busy', retryAfterMs: 1_000 });
    expect(faultOfStatus(502, null)?.kind).toBe('lost');
    expect(faultOfStatus(404, null)).toBeNull();
    expect(faultOfStatus(200, null)).toBeNull();
  });

  test.each([
    ['30', 30_000],
    ['0', 0],
    ['1.5', 1_500],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 10_000],
    ['Wed, 31 Dec 1969 23:59:50 GMT', 0],
    ['soon', null],
    ['-3', null],
    [null, null],
    [undefined, null],
  ])('Retry-After %s is %s ms', (value, expected) => {
    expect(parseRetryAfter(value, fakeClock(0))).toBe(expected);
  });

  test('back-off doubles to its longest, with up to half taken off by chance', () => {
    const random = seededRandom(3);
    for (const [failures, whole] of [
      [1, 500],
      [2, 1_000],
      [4, 4_000],
      [7, 30_000],
      [5_000, 30_000],
    ] as const) {
      for (let round = 0; round < 100; round += 1) {
        const wait = backoffMs(failures, random, { firstMs: 500 });
        expect(wait).toBeGreaterThanOrEqual(whole / 2);
        expect(wait).toBeLessThanOrEqual(whole);
      }
    }
  });
});
