import { expect, test } from 'vitest';
import { deliveryStates, OPEN_STATES } from './deliveries.ts';

test('every open row can come to an end, and what has ended stays, but for a late answer', () => {
  for (const state of deliveryStates.states) {
    const isOpen = (OPEN_STATES as readonly string[]).includes(state);
    const leaves = deliveryStates.eventsFrom(state).length > 0;
    expect([state, leaves]).toEqual([state, isOpen || state === 'unknown']);
  }
});

test('nothing is sent that was not written down as submitted before', () => {
  expect(deliveryStates.statesBefore('accept')).toEqual(['submitted', 'unknown']);
  expect(deliveryStates.statesBefore('submit')).toEqual(['claimed']);
});

test('what may have been sent never becomes pending by itself', () => {
  expect(deliveryStates.can('unknown', 'release')).toBe(false);
  expect(deliveryStates.next('submitted', 'lose')).toBe('unknown');
});
