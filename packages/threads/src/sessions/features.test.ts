import { expect, test } from 'vitest';
import { featuresOf } from './features.ts';

const allOn = { memory: true, routines: true, watches: true };

test.each([
  [
    'a thread',
    { kind: 'thread', is_unattended: 0 },
    ['routine_proposals', 'watch_proposals', 'memory_write'],
  ],
  ['a whole channel', { kind: 'channel', is_unattended: 0 }, ['memory_write']],
  ['an unattended session', { kind: 'thread', is_unattended: 1 }, []],
] as const)('%s may propose and remember what is its to', (_name, session, expected) => {
  const features = featuresOf(allOn, session);
  expect(features).toEqual(expect.arrayContaining(['memory', 'routines', 'watches']));
  const others = features.filter((feature) => /_/.test(feature));
  expect(others.sort()).toEqual([...expected].sort());
});

test('what is off is not there', () => {
  const off = { memory: false, routines: false, watches: false };
  expect(featuresOf(off, { kind: 'thread', is_unattended: 0 })).toEqual([]);
});
