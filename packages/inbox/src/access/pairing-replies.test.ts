import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Connector } from '../connectors/connector.ts';
import { fakeConnector, type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { PAIRING_TOPIC } from './pairing.ts';
import { runPairingReplies } from './pairing-replies.ts';

const fromStranger = (name: string) =>
  messageEvent({
    sender: { id: name, displayName: name },
    channel: { id: `local:dm-${name}`, type: 'dm' },
  });

function work(bench: InboxBench, connectorOf: (source: string) => Connector | undefined): void {
  const stop = new AbortController();
  const done = runPairingReplies(bench.ports, connectorOf, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
}

/** The codes' deliveries, as soon as none of them is waiting. */
async function settled(bench: InboxBench) {
  for (;;) {
    const jobs = await bench.ports.store.db
      .selectFrom('outbox')
      .select(['state', 'last_error'])
      .where('topic', '=', PAIRING_TOPIC)
      .orderBy('id')
      .execute();
    if (jobs.every(({ state }) => state === 'done' || state === 'dead')) return jobs;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describeEngines('the code a stranger was promised', (engine) => {
  test('is written where he wrote, once for each promise', async () => {
    const bench = await inboxBench(engine, { config: { pairing: 'on' } });
    await bench.accept(fromStranger('eve'), fromStranger('eve'), fromStranger('mallory'));
    const platform = fakeConnector();
    work(bench, () => platform);
    await settled(bench);
    const codes = new Map((await bench.inbox().pairings()).map(({ sender_id, code }) => [sender_id, code]));
    expect(platform.delivered.map(({ channelId }) => channelId)).toEqual([
      'local:dm-eve',
      'local:dm-eve',
      'local:dm-mallory',
    ]);
    for (const { channelId, text } of platform.delivered)
      expect(text).toContain(codes.get(channelId.replace('local:dm-', '')));
    expect(new Set(platform.delivered.map(({ nonce }) => nonce)).size).toBe(3);
    // It is a notice of the hub's, no message of an agent's.
    const outbound = bench.ports.store.db.selectFrom('inbox_messages').where('direction', '=', 'outbound');
    expect(await outbound.selectAll().execute()).toEqual([]);
  });

  test('is not written again when the platform refuses, breaks the rules or does not answer', async () => {
    const bench = await inboxBench(engine, { config: { pairing: 'on' } });
    const platform = fakeConnector();
    platform.orders.push('failed', 'unknown', 'lost');
    await bench.accept(fromStranger('a'), fromStranger('b'), fromStranger('c'));
    work(bench, () => platform);
    while (platform.calls < 3) await new Promise((resolve) => setImmediate(resolve));
    await bench.clock.advance(45_000);
    const jobs = await settled(bench);
    expect(jobs.map(({ state }) => state)).toEqual(['dead', 'dead', 'dead']);
    expect(platform.calls).toBe(3);
  });

  test('is given up where the connector is gone', async () => {
    const bench = await inboxBench(engine, { config: { pairing: 'on' } });
    await bench.accept(fromStranger('eve'));
    work(bench, () => undefined);
    expect(await settled(bench)).toEqual([{ state: 'dead', last_error: 'no local connector is configured' }]);
  });
});
