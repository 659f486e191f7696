import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { releaseMessage } from '../access/quarantine.ts';
import {
  heldCommit,
  type InboxBench,
  inboxBench,
  messageEvent,
  untilBlockedOrDone,
} from '../testing/index.ts';
import { markRead } from './mark-read.ts';
import { createSink } from './sink.ts';

const WRITERS = 6;
const BATCHES = 8;

/** Follows the cursor until a page after `over` is empty; gives the texts in the order they were met. */
async function follow(bench: InboxBench, agentId: string, over: () => boolean, limit = 3): Promise<string[]> {
  const met: string[] = [];
  let since: number | null = null;
  for (;;) {
    const wasOver = over();
    const page = await bench.unread(agentId, { sinceMicroseconds: since, limit });
    if (page.length === 0 && wasOver) return met;
    met.push(...page.map((row) => row.text));
    since = page.at(-1)?.received_us ?? since;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Many writers at once, over two processes; some messages are strangers' and are released on the way. */
async function burst(bench: InboxBench, other: InboxBench): Promise<string[]> {
  const written: string[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const process = writer % 2 ? other : bench;
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const events = Array.from({ length: 1 + (batch % 3) }, (_, index) => {
          const name = `${writer}.${batch}.${index}`;
          written.push(name);
          const isStranger = index === 1 && writer % 3 === 0;
          return messageEvent({
            platformId: name,
            text: name,
            channel: { id: `local:c${writer % 2}`, type: 'group' },
            sender: { id: isStranger ? 'eve' : 'ana', displayName: 'x' },
            // Platform times go backwards: they must not matter to the cursor.
            timestampMs: 1_700_000_000_000 - batch * 1_000,
          });
        });
        await process.sink.accept(events, `${writer}.${batch}`);
        for (const event of events) {
          if (event.sender.id !== 'eve') continue;
          const { message_id } = await process.stored(event.platformId);
          await releaseMessage(process.ports, message_id, 'test');
        }
      }
    }),
  );
  return written;
}

describeEngines('following the cursor while a burst of writers goes on', (engine) => {
  test('every reader meets every message once, in an order that never goes back', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await bench.allow('ana');
    await bench.accept(messageEvent({ platformId: 'first', text: 'first' }));
    const first = await bench.stored('first');
    await markRead(bench.ports, 'known', [first.message_id]);
    let over = false;
    const writing = burst(bench, other).finally(() => {
      over = true;
    });
    const readers = await Promise.all([
      follow(bench, 'known', () => over),
      follow(other, 'known', () => over, 1),
      follow(bench, 'never-seen', () => over),
      follow(other, 'never-seen', () => over, 100),
    ]);
    const written = (await writing).sort();
    for (const [index, met] of readers.entries()) {
      const expected = index < 2 ? written : [...written, 'first'].sort();
      expect([...met].sort()).toEqual(expected);
    }
  });

  test('an agent whose first mark_read falls into the burst loses nothing and sees nothing twice', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await bench.allow('ana');
    await bench.accept(messageEvent({ platformId: 'first', text: 'first' }));
    const { message_id } = await bench.stored('first');
    let over = false;
    const writing = burst(bench, other).finally(() => {
      over = true;
    });
    const agents = ['a', 'b', 'c', 'd'];
    const marking = Promise.all(
      agents.map(async (agentId, index) => {
        while (!over && (await bench.unread(agentId, { limit: 100 })).length < index * 10)
          await new Promise((resolve) => setImmediate(resolve));
        // Small steps, so that copying history is under way while messages come in; twice at once from two sides.
        await Promise.all([
          markRead(bench.ports, agentId, [message_id], 5),
          markRead(other.ports, agentId, [message_id], 7),
        ]);
      }),
    );
    const written = (await writing).sort();
    await marking;
    for (const agentId of agents) {
      const met = await follow(bench, agentId, () => true, 7);
      expect([...met].sort()).toEqual(written);
    }
  });

  test('messages deleted while an agent’s history is copied do not come back as unread', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await bench.allow('ana');
    const events = Array.from({ length: 60 }, () => messageEvent());
    await bench.accept(...events);
    const { message_id } = await bench.stored(events[0]!.platformId);
    const agents = Array.from({ length: 12 }, (_, index) => `agent-${index}`);
    await Promise.all([
      (async () => {
        for (const [index, { platformId }] of events.entries())
          if (index % 2) await other.sink.accept([{ kind: 'delete', platformId }], String(index));
      })(),
      ...agents.map(async (agentId) => {
        for (let round = 0; round < 8; round += 1) await markRead(bench.ports, agentId, [message_id], 10);
      }),
    ]);
    const left = events.filter((_, index) => index > 0 && index % 2 === 0).map((event) => event.text);
    for (const agentId of agents) expect((await bench.unread(agentId)).map((row) => row.text)).toEqual(left);
  });

  test.runIf(engine === 'postgres')(
    'a delete that is not committed yet is not copied as history',
    async () => {
      const bench = await inboxBench(engine);
      const other = await bench.again(bench.clock);
      await bench.allow('ana');
      const [gone, kept] = [messageEvent(), messageEvent()];
      await bench.accept(gone, kept);
      const { message_id } = await bench.stored(kept.platformId);
      const held = heldCommit(other.ports);
      const sink = createSink(held.ports, { source: 'local', account: 'fake' }, async () => undefined);
      const deleting = sink.accept([{ kind: 'delete', platformId: gone.platformId }], '9');
      await held.reached;
      const marking = markRead(bench.ports, 'a', [message_id]);
      await untilBlockedOrDone(bench.ports.store, marking);
      held.commit();
      await Promise.all([deleting, marking]);
      expect(await bench.unread('a')).toEqual([]);

      // The same when the agent is known and its history is copied in a later step.
      const [second, third] = [messageEvent(), messageEvent()];
      await bench.accept(second, third);
      await markRead(bench.ports, 'b', [message_id], 1);
      const again = heldCommit(other.ports);
      const deleter = createSink(again.ports, { source: 'local', account: 'fake' }, async () => undefined);
      const deletingThird = deleter.accept([{ kind: 'delete', platformId: third.platformId }], '9');
      await again.reached;
      const copying = markRead(bench.ports, 'b', [message_id], 50);
      await untilBlockedOrDone(bench.ports.store, copying);
      again.commit();
      await Promise.all([deletingThird, copying]);
      expect((await bench.unread('b')).map((row) => row.text)).toEqual([second.text]);
    },
  );
});
