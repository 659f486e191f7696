import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { createSink } from '../messages/sink.ts';
import {
  heldCommit,
  type InboxBench,
  inboxBench,
  messageEvent,
  untilBlockedOrDone,
} from '../testing/index.ts';
import { allowSender, disallowSender, listAllowlist } from './allowlist.ts';

const eve = { source: 'local', senderId: 'eve', actor: 'bootstrap' } as const;
const fromEve = (displayName = 'Eve') => messageEvent({ sender: { id: 'eve', displayName } });

async function sendersSeen(bench: InboxBench) {
  const { messages } = await bench
    .inbox()
    .listUnread(
      { agentId: 'a', sinceMicroseconds: null, source: null, channelId: null, limit: 100 },
      0,
      new AbortController().signal,
    );
  return messages.map(({ sender }) => [sender.display_name, sender.person_id]);
}

describeEngines('the allowlist', (engine) => {
  test('nobody is on it at first, and an entry lets in what comes from then on', async () => {
    const bench = await inboxBench(engine);
    const [before, after] = [fromEve(), fromEve()];
    await bench.accept(before);
    expect(await bench.unread('a')).toEqual([]);
    const { entry, released_count } = await allowSender(bench.ports, { ...eve, release: false });
    expect(entry).toEqual({
      source: 'local',
      sender_id: 'eve',
      display_name: null,
      person_id: null,
      created_at: '2026-05-01T00:00:00.000000Z',
    });
    expect(released_count).toBe(0);
    await bench.accept(after);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([after.text]);
  });

  test('the same sender id on another platform is somebody else', async () => {
    const bench = await inboxBench(engine);
    await allowSender(bench.ports, { ...eve, source: 'discord', release: false });
    await bench.accept(fromEve());
    expect(await bench.unread('a')).toEqual([]);
  });

  test('an entry’s name and person stand in the envelope, on old messages too; null clears, nothing keeps', async () => {
    const bench = await inboxBench(engine);
    await allowSender(bench.ports, { ...eve, release: false });
    await bench.accept(fromEve('xX_eve_Xx'));
    expect(await sendersSeen(bench)).toEqual([['xX_eve_Xx', null]]);
    await allowSender(bench.ports, { ...eve, displayName: 'Eve Doe', personId: 'p1', release: false });
    expect(await sendersSeen(bench)).toEqual([['Eve Doe', 'p1']]);
    await allowSender(bench.ports, { ...eve, release: false });
    expect(await sendersSeen(bench)).toEqual([['Eve Doe', 'p1']]);
    await allowSender(bench.ports, { ...eve, displayName: null, release: false });
    expect(await sendersSeen(bench)).toEqual([['xX_eve_Xx', 'p1']]);
    await allowSender(bench.ports, { ...eve, personId: null, release: false });
    expect(await sendersSeen(bench)).toEqual([['xX_eve_Xx', null]]);
    expect(await listAllowlist(bench.ports)).toHaveLength(1);
  });

  test('a name that hides or reorders is cleaned, one that is nothing else becomes the id', async () => {
    const bench = await inboxBench(engine);
    const named = async (displayName: string) =>
      (await allowSender(bench.ports, { ...eve, displayName, release: false })).entry.display_name;
    expect(await named('\u202EEve\u0000')).toBe('Eve');
    expect(await named('\u200B')).toBe('eve');
  });

  test('release=true lets out all that waits, oldest first, and only that sender’s', async () => {
    const bench = await inboxBench(engine);
    const mine = [fromEve(), fromEve(), fromEve()];
    const deleted = fromEve();
    const others = messageEvent({ sender: { id: 'mallory', displayName: 'Eve' } });
    await bench.accept(mine[0]!, others, mine[1]!, deleted, mine[2]!);
    await bench.accept({ kind: 'delete', platformId: deleted.platformId });
    const first = await allowSender(bench.ports, { ...eve, release: true });
    expect(first.released_count).toBe(3);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual(mine.map((event) => event.text));
    const again = await allowSender(bench.ports, { ...eve, release: true });
    expect(again.released_count).toBe(0);
    expect(await bench.unread('a')).toHaveLength(3);
  });

  test('two operators that allow and release at once release each message once', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await bench.accept(...Array.from({ length: 5 }, () => fromEve()));
    const results = await Promise.all(
      [bench, other, bench, other].map(({ ports }) => allowSender(ports, { ...eve, release: true })),
    );
    expect(results.reduce((sum, { released_count }) => sum + released_count, 0)).toBe(5);
    expect(await bench.unread('a')).toHaveLength(5);
  });

  test('deleting an entry keeps what was accepted, without name and person, and stops the rest', async () => {
    const bench = await inboxBench(engine);
    await allowSender(bench.ports, { ...eve, displayName: 'Eve Doe', personId: 'p1', release: false });
    await bench.accept(fromEve('evil'));
    await disallowSender(bench.ports, eve);
    await bench.accept(fromEve());
    expect(await sendersSeen(bench)).toEqual([['evil', null]]);
    await expect(disallowSender(bench.ports, eve)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  test('who changed what is on record', async () => {
    const bench = await inboxBench(engine);
    await bench.accept(fromEve());
    await allowSender(bench.ports, { ...eve, displayName: 'Eve', release: true });
    await disallowSender(bench.ports, { ...eve, actor: 'cli' });
    const rows = await bench.ports.store.db
      .selectFrom('inbox_audit')
      .selectAll()
      .orderBy('audit_id')
      .execute();
    expect(
      rows.map(({ actor, action, target, details }) => [actor, action, target, JSON.parse(details)]),
    ).toEqual([
      ['bootstrap', 'allowlist.put', 'local/eve', { display_name: 'Eve', person_id: null, released: 1 }],
      ['cli', 'allowlist.delete', 'local/eve', {}],
    ]);
  });

  test.runIf(engine === 'postgres')(
    'a message that is being stored while its sender is let in is released too',
    async () => {
      const bench = await inboxBench(engine);
      const other = await bench.again(bench.clock);
      const held = heldCommit(other.ports);
      const sink = createSink(held.ports, { source: 'local', account: 'fake' }, async () => undefined);
      const event = fromEve();
      const storing = sink.accept([event], '1');
      await held.reached;
      const allowing = allowSender(bench.ports, { ...eve, release: true });
      await untilBlockedOrDone(bench.ports.store, allowing);
      held.commit();
      await storing;
      expect((await allowing).released_count).toBe(1);
      expect((await bench.unread('a')).map((row) => row.text)).toEqual([event.text]);
    },
  );
});
