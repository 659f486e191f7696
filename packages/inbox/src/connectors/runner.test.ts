import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { InboxPorts } from '../ports.ts';
import { aborted, fakeConnector, inboxBench, messageEvent } from '../testing/index.ts';
import type { Connector } from './connector.ts';
import { runConnector } from './runner.ts';

const strangers = async () => undefined;

describeEngines('running a connector', (engine) => {
  test('the first start has no cursor, the next ones the last that was stored', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const starts: (string | null)[] = [];
    const stop = new AbortController();
    const platform = fakeConnector({
      async run(cursor, sink, signal) {
        starts.push(cursor);
        await sink.accept([messageEvent()], `after ${starts.length}`);
        if (starts.length < 3) throw new Error('the platform hung up');
        await aborted(signal);
      },
    });
    const { done, health } = runConnector(bench.ports, platform, strangers, stop.signal);
    for (const pause of [500, 1_000]) {
      await bench.clock.untilSleeping();
      expect(health()).toMatchObject({ status: 'down' });
      await bench.clock.advance(pause);
    }
    while (starts.length < 3) await new Promise((resolve) => setImmediate(resolve));
    while ((await bench.unread('a')).length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(starts).toEqual([null, 'after 1', 'after 2']);
    expect(health()).toEqual({ status: 'ok' });
    stop.abort();
    await done;
    expect(health()).toMatchObject({ status: 'down', detail: 'stopped' });
  });

  test('pauses between starts double up to a minute, and are short again after a long run', async () => {
    const bench = await inboxBench(engine);
    const stop = new AbortController();
    const pauses: number[] = [];
    const clock: InboxPorts['clock'] = {
      nowMicroseconds: () => bench.clock.nowMicroseconds(),
      async sleep(milliseconds) {
        pauses.push(milliseconds);
        if (pauses.length === 12) stop.abort();
      },
    };
    const platform = fakeConnector({
      async run() {
        // The eleventh runs well for two minutes before it breaks.
        if (pauses.length === 10) bench.clock.set(bench.clock.nowMicroseconds() + 120_000_000);
        throw new Error('no');
      },
    });
    await runConnector({ ...bench.ports, clock }, platform, strangers, stop.signal).done;
    const doubling = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000];
    expect(pauses).toEqual([...doubling, 500, 1_000]);
  });

  test.runIf(engine === 'postgres')(
    'of two processes one runs it; when that one stops the other takes over where it was',
    async () => {
      const bench = await inboxBench(engine);
      const other = await bench.again();
      const running: string[] = [];
      const connector = (name: string): Connector =>
        fakeConnector({
          async run(cursor, sink, signal) {
            running.push(`${name} from ${cursor}`);
            await sink.accept([], `left by ${name}`);
            await aborted(signal);
          },
        });
      const stops = [new AbortController(), new AbortController()];
      const first = runConnector(bench.ports, connector('one'), strangers, stops[0]!.signal);
      while (running.length < 1) await new Promise((resolve) => setImmediate(resolve));
      const second = runConnector(other.ports, connector('two'), strangers, stops[1]!.signal);
      await other.clock.untilSleeping();
      expect(second.health()).toMatchObject({ status: 'standby' });
      while ((await bench.ports.store.db.selectFrom('inbox_cursors').selectAll().execute()).length < 1)
        await new Promise((resolve) => setImmediate(resolve));
      stops[0]!.abort();
      await first.done;
      while (running.length < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(running).toEqual(['one from null', 'two from left by one']);
      stops[1]!.abort();
      await second.done;
    },
  );
});
