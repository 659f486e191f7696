import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import { historyEndsMs } from './first-start.ts';

const SINCE_MS = 1_800_000_000_000;

test.each([
  { what: 'what was there before is history', newest: SINCE_MS - 60_000, ends: SINCE_MS - 60_000 },
  { what: 'what came while connecting is new', newest: SINCE_MS + 2_000, ends: SINCE_MS },
  {
    what: 'with a server far ahead, only what fits the time since',
    newest: SINCE_MS + 3_600_000,
    ends: SINCE_MS + 3_597_000,
  },
])('$what', async ({ newest, ends }) => {
  const clock = fakeClock();
  clock.set((SINCE_MS + 3_000) * 1_000);
  expect(historyEndsMs(clock, newest, SINCE_MS)).toBe(ends);
});
