import { expect, test } from 'vitest';
import { inZone } from './zone.ts';

test('a moment is told on the wall clock of the zone that is asked for', () => {
  expect(inZone('2026-05-03T23:30:00Z', 'Asia/Tehran')).toBe('Mon 4 May, 03:00');
  expect(inZone('2026-05-03T23:30:00Z', 'America/Santiago')).toBe('Sun 3 May, 19:30');
});
