import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { sendMessage } from '../send/send.ts';
import { fakeConnector, type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { markRead } from './mark-read.ts';
import { readersOf } from './readers.ts';

const agentOf = async (bench: InboxBench, agentId: string) =>
  (await bench.inbox().agents()).find((agent) => agent.agent_id === agentId);

async function filled(bench: InboxBench, count: number): Promise<string[]> {
  await bench.allow('ana');
  await bench.accept(...Array.from({ length: count }, () => messageEvent()));
  return (await bench.unread('nobody')).map((row) => row.message_id);
}

describeEngines('marking read', (engine) => {
  test('it is per agent, and reading again changes nothing', async () => {
    const bench = await inboxBench(engine);
    const [one = '', two = '', three = ''] = await filled(bench, 3);
    await markRead(bench.ports, 'x', [one, two]);
    const firstTime = (await agentOf(bench, 'x'))?.last_read_at;
    await bench.clock.advance(5_000);
    await markRead(bench.ports, 'x', [one]);
    expect(await agentOf(bench, 'x')).toMatchObject({
      read_count: 2,
      unread_count: 1,
      last_read_at: firstTime,
    });
    expect((await bench.unread('x')).map((row) => row.message_id)).toEqual([three]);
    expect(await bench.unread('y')).toHaveLength(3);
  });

  test('ids that are unknown, quarantined, outbound or deleted are passed over', async () => {
    const bench = await inboxBench(engine);
    const [known = ''] = await filled(bench, 1);
    const stranger = messageEvent({ sender: { id: 'eve', displayName: 'Eve' } });
    const deleted = messageEvent();
    await bench.accept(stranger, deleted, { kind: 'delete', platformId: deleted.platformId });
    const connector = fakeConnector();
    const caller = { kind: 'bearer', credential: 'bearer', agentId: 'x' } as const;
    const sent = await sendMessage(
      bench.ports,
      () => connector,
      { channel_id: 'local:team', text: 'hi' },
      caller,
      null,
      new AbortController().signal,
    );
    const ids = [
      'msg_00000000000000000000000000',
      (await bench.stored(stranger.platformId)).message_id,
      (await bench.stored(deleted.platformId)).message_id,
      sent.answer.message_id,
    ];
    await markRead(bench.ports, 'x', ids);
    expect(await agentOf(bench, 'x')).toMatchObject({ read_count: 0, unread_count: 1, last_read_at: null });
    expect((await readersOf(bench.ports.store, ids)).size).toBe(0);
    await markRead(bench.ports, 'x', [...ids, known]);
    expect(await agentOf(bench, 'x')).toMatchObject({ read_count: 1, unread_count: 0 });
    // Not read in advance: when it is released it is unread.
    await bench.inbox().release(ids[1] ?? '', 'test');
    expect((await bench.unread('x')).map((row) => row.message_id)).toEqual([ids[1]]);
  });

  test('an empty list marks nothing and makes no agent', async () => {
    const bench = await inboxBench(engine);
    await filled(bench, 1);
    await markRead(bench.ports, 'x', []);
    expect(await agentOf(bench, 'x')).toBeUndefined();
  });

  test('1,000 ids at once, with repetitions, are each read once', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(...Array.from({ length: 600 }, () => messageEvent()));
    const rows = await bench.ports.store.db.selectFrom('inbox_messages').select('message_id').execute();
    const ids = rows.map((row) => row.message_id);
    await markRead(bench.ports, 'x', [...ids, ...ids.slice(0, 400)]);
    expect(await agentOf(bench, 'x')).toMatchObject({ read_count: 600, unread_count: 0 });
    expect(await bench.unread('x')).toEqual([]);
  });

  test('the same ids marked many times at once count once', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    const ids = await filled(bench, 20);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        markRead((index % 2 ? bench : other).ports, 'x', ids.slice(index, index + 9), 3),
      ),
    );
    expect(await agentOf(bench, 'x')).toMatchObject({ read_count: 20, unread_count: 0 });
    expect(await bench.unread('x')).toEqual([]);
  });

  test('who has read a message, and when, is told in the order of agents', async () => {
    const bench = await inboxBench(engine);
    const [id = ''] = await filled(bench, 1);
    await markRead(bench.ports, 'zoe', [id]);
    await bench.clock.advance(1_000);
    await markRead(bench.ports, 'amy', [id]);
    expect((await readersOf(bench.ports.store, [id])).get(id)).toEqual([
      { agent_id: 'amy', read_at: '2026-05-01T00:00:01.000000Z' },
      { agent_id: 'zoe', read_at: '2026-05-01T00:00:00.000000Z' },
    ]);
  });

  test('an agent that has read all sees what comes next, and a page costs no look at history', async () => {
    const bench = await inboxBench(engine);
    const ids = await filled(bench, 30);
    for (let index = 0; index < ids.length; index += 10)
      await markRead(bench.ports, 'x', ids.slice(index, index + 10), 10);
    const row = await bench.ports.store.db.selectFrom('inbox_agents').selectAll().executeTakeFirstOrThrow();
    expect(row.filled_us).toBe(row.history_until_us);
    await bench.accept(messageEvent({ text: 'new' }));
    expect((await bench.unread('x')).map(({ text }) => text)).toEqual(['new']);
    const rows = await bench.ports.store.db.selectFrom('inbox_unread').selectAll().execute();
    expect(rows).toHaveLength(1);
  });
});
