import { describeEngines } from '@postern/store/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignsBench } from '../../testing/bench.ts';
import { Destinations } from './destinations.ts';
import { Throttle } from './throttle.ts';

describeEngines('throttles', (engine) => {
  test('never let more through than their rate, whoever asks, and after a restart too', async () => {
    const { ports, clock, again } = await campaignsBench(engine);
    const other = (await again(clock)).ports;
    let name = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.array(
          fc.record({ most: fc.integer({ min: 1, max: 50 }), waitMs: fc.nat(300), restarts: fc.boolean() }),
          {
            maxLength: 30,
          },
        ),
        async (perSecond, asks) => {
          name += 1;
          const make = (process: typeof ports) => new Throttle(process, `test:${name}`, perSecond);
          let takers = [make(ports), make(other)];
          const startUs = clock.nowMicroseconds();
          let taken = 0;
          for (const { most, waitMs, restarts } of asks) {
            if (restarts) takers = [make(ports), make(other)];
            for (const taker of takers) taken += await taker.take(most);
            await clock.advance(waitMs);
          }
          const seconds = (clock.nowMicroseconds() - startUs) / 1_000_000;
          const burst = Math.max(1, Math.floor(perSecond / 20));
          expect(taken).toBeLessThanOrEqual(Math.floor(perSecond * seconds) + burst);
        },
      ),
      { numRuns: engine === 'sqlite' ? 25 : 8 },
    );
  });

  test('give what is due after the wait they ask for', async () => {
    const { ports, clock } = await campaignsBench(engine);
    const throttle = new Throttle(ports, 'test', 10);
    expect(await throttle.take(5)).toBe(1);
    expect(await throttle.take(5)).toBe(0);
    await clock.advance(throttle.waitMs);
    expect(await throttle.take(5)).toBe(1);
  });

  test('a destination gives those that must wait a turn of their own', async () => {
    const { ports, clock } = await campaignsBench(engine, { config: { throttles: { perDestination: 2 } } });
    const destinations = new Destinations(ports);
    const now = clock.nowMicroseconds();
    const turns = [];
    for (let mail = 0; mail < 4; mail += 1) turns.push(await destinations.admit('example.org'));
    expect(turns).toEqual([0, now + 500_000, now + 1_000_000, now + 1_500_000]);
    expect(await destinations.admit('example.net')).toBe(0);
  });

  test('a destination that complains is left alone, ever longer, until it takes mail again', async () => {
    const { ports, clock } = await campaignsBench(engine);
    const destinations = new Destinations(ports);
    const waitMs = async () => ((await destinations.admit('example.org')) - clock.nowMicroseconds()) / 1_000;
    expect(await destinations.admit('example.org')).toBe(0);
    destinations.slowDown('example.org');
    const first = await waitMs();
    expect(first).toBeGreaterThan(700);
    expect(first).toBeLessThan(1_500);
    expect(await destinations.admit('example.net')).toBe(0);
    await clock.advance(2_000);
    expect(await destinations.admit('example.org')).toBe(0);
    destinations.slowDown('example.org');
    expect(await waitMs()).toBeGreaterThan(1_500);
    await clock.advance(3_000);
    destinations.succeed('example.org');
    destinations.succeed('example.org');
    destinations.slowDown('example.org');
    expect(await waitMs()).toBeLessThan(1_500);
  });
});
