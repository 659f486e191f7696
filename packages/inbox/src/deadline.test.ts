import { fakeClock } from '@postern/kit/testing';
import { describe, expect, test } from 'vitest';
import { abortable, untilAborted, withDeadline } from './deadline.ts';

const never = () => new Promise<never>(() => undefined);

async function* count() {
  for (let index = 0; index < 3; index += 1) yield Uint8Array.of(index);
}

describe('a deadline', () => {
  test('leaves alone what ends in time, and nothing sleeps afterwards', async () => {
    const clock = fakeClock();
    expect(await withDeadline(clock, 1_000, async () => 'done')).toBe('done');
    await expect(withDeadline(clock, 1_000, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
    expect(clock.sleeping).toBe(0);
  });

  test('aborts the signal of what takes longer, as a timeout', async () => {
    const clock = fakeClock();
    const late = withDeadline(clock, 1_000, (signal) => untilAborted(never(), signal)).catch(
      (error) => error,
    );
    await clock.advance(999);
    await clock.advance(1);
    expect((await late).name).toBe('TimeoutError');
  });

  test('a parent that aborts, before or meanwhile, ends it with its own reason', async () => {
    const clock = fakeClock();
    const parent = new AbortController();
    const work = (signal: AbortSignal) => untilAborted(never(), signal);
    const running = withDeadline(clock, 1_000, work, parent.signal).catch((error) => error);
    parent.abort(new Error('gone'));
    expect((await running).message).toBe('gone');
    await expect(withDeadline(clock, 1_000, work, parent.signal)).rejects.toThrow('gone');
    expect(clock.sleeping).toBe(0);
  });
});

describe('bytes that can be given up', () => {
  test('come as they are while nobody gives up', async () => {
    const got: number[] = [];
    for await (const [byte] of abortable(count(), new AbortController().signal)) got.push(byte ?? -1);
    expect(got).toEqual([0, 1, 2]);
  });

  test('end with the signal, though the source hangs in its read and in its return', async () => {
    const stop = new AbortController();
    const hanging = { [Symbol.asyncIterator]: () => ({ next: never, return: never }) };
    const reading = abortable(hanging, stop.signal).next();
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('a reader that stops early closes the source', async () => {
    let closed = false;
    async function* source() {
      try {
        yield* count();
      } finally {
        closed = true;
      }
    }
    for await (const _ of abortable(source(), new AbortController().signal)) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(true);
  });
});
