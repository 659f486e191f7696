import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { nextReceiveTime } from './receive-time.ts';

const next = (bench: InboxBench) => bench.ports.store.transaction((tx) => nextReceiveTime(tx, bench.clock));

const receiveTimes = async (bench: InboxBench) =>
  (await bench.ports.store.db.selectFrom('inbox_messages').select('received_us').execute())
    .map((row) => row.received_us)
    .sort((one, other) => one - other);

describeEngines('receive time', (engine) => {
  test('it is the clock’s, and goes on by a microsecond where the clock stands still or goes back', async () => {
    const bench = await inboxBench(engine);
    const now = bench.clock.nowMicroseconds();
    expect([await next(bench), await next(bench)]).toEqual([now, now + 1]);
    bench.clock.set(now - 3_600_000_000);
    expect(await next(bench)).toBe(now + 2);
    bench.clock.set(now + 10);
    expect(await next(bench)).toBe(now + 10);
  });

  test('whatever the clock does, it strictly increases', async () => {
    const bench = await inboxBench(engine);
    const start = bench.clock.nowMicroseconds();
    const jumps = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
    let last = 0;
    await fc.assert(
      fc.asyncProperty(jumps, async (offsets) => {
        for (const offset of offsets) {
          bench.clock.set(start + offset);
          const time = await next(bench);
          expect(time).toBeGreaterThan(last);
          expect(time).toBeGreaterThanOrEqual(start + offset);
          last = time;
        }
      }),
      { numRuns: 15 },
    );
  });

  test('a transaction that fails gives its time back, and nobody gets it twice', async () => {
    const bench = await inboxBench(engine);
    const failing = bench.ports.store.transaction(async (tx) => {
      await nextReceiveTime(tx, bench.clock);
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await next(bench)).toBe(bench.clock.nowMicroseconds());
    expect(await next(bench)).toBe(bench.clock.nowMicroseconds() + 1);
  });

  test('sinks at work at once, in two processes whose clocks disagree, never give a time twice', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const behind = await bench.again(fakeClock(bench.clock.nowMicroseconds() - 60_000_000));
    const sinks = [bench, behind, bench, behind];
    await Promise.all(
      sinks.map(async (process, index) => {
        for (let batch = 0; batch < 5; batch += 1) {
          process.clock.set(process.clock.nowMicroseconds() + (batch % 2 ? -7 : 3));
          const events = Array.from({ length: 4 }, () =>
            messageEvent({ platformId: `${index}-${batch}-${Math.random()}` }),
          );
          await process.sink.accept(events, `${index}.${batch}`);
        }
      }),
    );
    const times = await receiveTimes(bench);
    expect(times).toHaveLength(80);
    expect(new Set(times).size).toBe(80);
  });

  test('ids made in one process sort as receive times do', async () => {
    const bench = await inboxBench(engine);
    await Promise.all(
      Array.from({ length: 10 }, () => bench.sink.accept([messageEvent(), messageEvent()], '1')),
    );
    const rows = await bench.ports.store.db
      .selectFrom('inbox_messages')
      .select(['message_id', 'received_us'])
      .orderBy('message_id')
      .execute();
    const times = rows.map((row) => row.received_us);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });
});
