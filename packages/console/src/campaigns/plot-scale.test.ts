import fc from 'fast-check';
import { expect, test } from 'vitest';
import { niceScale, running, withGaps } from './plot-scale.ts';

test('a scale holds every value, in few whole steps', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (largest) => {
      const { top, ticks } = niceScale(largest);
      expect(top).toBeGreaterThanOrEqual(largest);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.every(Number.isInteger)).toBe(true);
      expect(ticks.at(-1)).toBe(top);
    }),
  );
});

test('steps in which nothing happened are put back', () => {
  const empty = (at: number) => ({ at, sent: 0 });
  const points = [
    { at: 0, sent: 2 },
    { at: 180, sent: 1 },
  ];
  expect(withGaps(points, 60, empty).map(({ sent }) => sent)).toEqual([2, 0, 0, 1]);
  expect(running([2, 0, 0, 1])).toEqual([2, 2, 2, 3]);
});
