import { fakeClock } from '@postern/kit/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sequence } from './sequence.ts';

function ordered() {
  const clock = fakeClock();
  const out: (number | 'missing')[] = [];
  const numbers = sequence<number>({
    clock,
    waitMs: 100,
    emit: (item) => out.push(item),
    missing: () => out.push('missing'),
  });
  const push = (...items: number[]) => {
    for (const item of items) numbers.push(item, item);
  };
  return { clock, out, numbers, push };
}

describe('events by their numbers', () => {
  test('come in their order, whatever order they came in', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 8 }), (items) => {
        const { out, push } = ordered();
        push(0, ...items);
        expect(out).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
      }),
    );
  });

  test('go on without one that does not come, and say so', async () => {
    const { clock, out, push } = ordered();
    push(0, 2, 3);
    expect(out).toEqual([0]);
    await clock.advance(100);
    push(4);
    expect(out).toEqual([0, 'missing', 2, 3, 4]);
  });

  test('are not held back for one that came again', () => {
    const { out, push } = ordered();
    push(0, 1, 1, 0, 2);
    expect(out).toEqual([0, 1, 1, 0, 2]);
  });

  test('wait anew for each that is missing', async () => {
    const { clock, out, push } = ordered();
    push(0, 2);
    await clock.advance(50);
    push(1, 4);
    await clock.advance(50);
    expect(out).toEqual([0, 1, 2]);
    await clock.advance(100);
    expect(out).toEqual([0, 1, 2, 'missing', 4]);
  });

  test('come as they are where there are no numbers', () => {
    const { out, numbers } = ordered();
    numbers.push(null, 7);
    numbers.push(null, 3);
    expect(out).toEqual([7, 3]);
  });

  test('are not held without bounds', () => {
    const { out, push } = ordered();
    push(0, ...Array.from({ length: 1_000 }, (_, index) => index + 2));
    expect(out).toHaveLength(1_002);
  });

  test('end with the connection', async () => {
    const { clock, out, numbers, push } = ordered();
    push(0, 2);
    numbers.close();
    await clock.advance(1_000);
    expect(out).toEqual([0]);
    expect(clock.sleeping).toBe(0);
  });
});
