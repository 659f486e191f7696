import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { IllegalTransition, transitionTable } from './transitions.ts';

const arrows = {
  queued: { start: 'sending', cancel: 'cancelled' },
  sending: { succeed: 'sent', lose: 'unknown', retry: 'queued' },
  sent: {},
  unknown: {},
  cancelled: {},
} as const;
const send = transitionTable('send', arrows);

describe('transitionTable', () => {
  test('moves along its arrows', () => {
    expect(send.next('queued', 'start')).toBe('sending');
    expect(send.next('sending', 'retry')).toBe('queued');
    expect(send.can('queued', 'cancel')).toBe(true);
    expect(send.can('sent', 'cancel')).toBe(false);
  });

  test('refuses the rest with what would have been allowed', () => {
    const refusal = (() => {
      try {
        return send.next('queued', 'lose');
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(IllegalTransition);
    expect(refusal).toMatchObject({
      name: 'IllegalTransition',
      message: 'send: lose is not possible in state queued',
      state: 'queued',
      event: 'lose',
      allowed: ['start', 'cancel'],
    });
  });

  test('lists states, events and both directions', () => {
    expect(send.states).toEqual(['queued', 'sending', 'sent', 'unknown', 'cancelled']);
    expect(send.events).toEqual(['start', 'cancel', 'succeed', 'lose', 'retry']);
    expect(send.eventsFrom('sending')).toEqual(['succeed', 'lose', 'retry']);
    expect(send.statesBefore('cancel')).toEqual(['queued']);
    expect(send.states.filter((state) => send.isFinal(state))).toEqual(['sent', 'unknown', 'cancelled']);
  });

  test('has types for its states and events', () => {
    expectTypeOf(send.next)
      .parameter(0)
      .toEqualTypeOf<'queued' | 'sending' | 'sent' | 'unknown' | 'cancelled'>();
    expectTypeOf(send.next).parameter(1).toEqualTypeOf<'start' | 'cancel' | 'succeed' | 'lose' | 'retry'>();
    expect(z.enum(send.states).safeParse('sent').success).toBe(true);
    // @ts-expect-error an arrow to a state without a line of its own
    expect(() => transitionTable('broken', { on: { flip: 'off' } })).toThrow('leads to unknown state off');
    // @ts-expect-error an event no state takes
    expect(send.can('queued', 'explode')).toBe(false);
  });

  test('knows no state by accident', () => {
    const foreign = 'toString' as 'queued';
    expect(() => send.next(foreign, 'start')).toThrow('there is no state toString');
    expect(send.can('queued', 'constructor' as 'start')).toBe(false);
    expect(() => transitionTable('empty', {})).toThrow('at least one state');
  });

  test('never leaves its states, and can says what next does', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...send.events)), (events) => {
        let state = send.states[0];
        for (const event of events) {
          expect(send.can(state, event)).toBe(send.eventsFrom(state).includes(event));
          expect(send.can(state, event)).toBe(send.statesBefore(event).includes(state));
          if (!send.can(state, event)) {
            expect(() => send.next(state, event)).toThrow(IllegalTransition);
            continue;
          }
          state = send.next(state, event);
          expect(send.states).toContain(state);
        }
      }),
    );
  });
});
