import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Position } from './position.ts';

test('it goes on with what was read, and stays behind the newest', () => {
  const position = new Position(0n, 2);
  const values = [1n, 2n, 3n, 4n, 5n].map((id) => {
    position.add(id);
    return position.value;
  });
  expect(values).toEqual([0n, 0n, 1n, 2n, 3n]);
});

test('what was passed, or is there already, changes nothing', () => {
  const position = new Position(10n, 2);
  for (const id of [5n, 10n, 11n, 11n, 12n, 11n]) position.add(id);
  expect(position.value).toBe(10n);
});

test('whatever comes late by less than the overlap is never passed before it came', () => {
  const overlap = 4;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: overlap - 1 }), { maxLength: 60 }), (delays) => {
      // Ids in the order they arrive, each held up by at most so many others.
      const arrivals = delays
        .map((delay, index) => ({ id: BigInt(index + 1), at: index + delay }))
        .sort((one, other) => one.at - other.at);
      const position = new Position(0n, overlap);
      const came = new Set<bigint>();
      for (const { id } of arrivals) {
        position.add(id);
        came.add(id);
        for (let passed = 1n; passed <= position.value; passed += 1n) expect(came.has(passed)).toBe(true);
      }
    }),
  );
});
