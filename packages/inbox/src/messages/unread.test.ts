import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { releaseMessage } from '../access/quarantine.ts';
import { inboxBench, messageEvent } from '../testing/bench.ts';
import { markRead } from './mark-read.ts';
import { unreadCount, unreadPage } from './unread.ts';

const everything = { sinceMicroseconds: null, source: null, channelId: null, limit: 100 };

describeEngines('unread', (engine) => {
  test('an agent never seen before has all accepted messages unread, oldest first', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(messageEvent({ text: 'one' }), messageEvent({ text: 'two' }));
    await bench.accept(messageEvent({ text: 'spam', sender: { id: 'eve', displayName: 'Ana' } }));
    const page = await unreadPage(bench.ports.store, { ...everything, agentId: 'a1' });
    expect(page.map((row) => row.text)).toEqual(['one', 'two']);
  });

  test('whatever is received, read, released and deleted, each agent sees exactly what it has not read', async () => {
    const action = fc.oneof(
      fc.record({
        do: fc.constant('receive' as const),
        sender: fc.constantFrom('ana', 'ben', 'eve'),
        channel: fc.constantFrom('a', 'b'),
      }),
      fc.record({
        do: fc.constant('read' as const),
        agent: fc.constantFrom('x', 'y', 'z'),
        picks: fc.array(fc.nat(50), { maxLength: 6 }),
      }),
      fc.record({ do: fc.constant('release' as const), pick: fc.nat(50) }),
      fc.record({ do: fc.constant('delete' as const), pick: fc.nat(50) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const bench = await inboxBench(engine);
        await bench.allow('ana');
        await bench.allow('ben');
        const { store } = bench.ports;
        /** In the order agents meet them: a release moves a message to the end. */
        let feed: string[] = [];
        const quarantined: string[] = [];
        const platformIds: string[] = [];
        const read = new Map<string, Set<string>>([
          ['x', new Set()],
          ['y', new Set()],
          ['z', new Set()],
        ]);
        const idOf = async (platformId: string) =>
          (
            await store.db
              .selectFrom('inbox_platform_ids')
              .select('message_id')
              .where('platform_id', '=', platformId)
              .executeTakeFirstOrThrow()
          ).message_id;
        for (const step of actions) {
          if (step.do === 'receive') {
            const event = messageEvent({
              sender: { id: step.sender, displayName: step.sender },
              channel: { id: `local:${step.channel}`, type: 'group' },
            });
            await bench.accept(event);
            platformIds.push(event.platformId);
            (step.sender === 'eve' ? quarantined : feed).push(event.platformId);
          } else if (step.do === 'read' && platformIds.length > 0) {
            const picked = step.picks.map((pick) => platformIds[pick % platformIds.length] ?? '');
            await markRead(bench.ports, step.agent, await Promise.all(picked.map(idOf)), 3);
            for (const id of picked) if (feed.includes(id)) read.get(step.agent)?.add(id);
          } else if (step.do === 'release' && quarantined.length > 0) {
            const [id = ''] = quarantined.splice(step.pick % quarantined.length, 1);
            await releaseMessage(bench.ports, await idOf(id), 'test');
            feed.push(id);
          } else if (step.do === 'delete' && feed.length > 0) {
            const id = feed[step.pick % feed.length] ?? '';
            await bench.accept({ kind: 'delete', platformId: id });
            feed = feed.filter((other) => other !== id);
          }
        }
        for (const [agentId, done] of read) {
          const expected = await Promise.all(feed.filter((id) => !done.has(id)).map(idOf));
          const pages: string[] = [];
          let since: number | null = null;
          for (;;) {
            const page = await unreadPage(store, {
              ...everything,
              agentId,
              sinceMicroseconds: since,
              limit: 4,
            });
            if (page.length === 0) break;
            pages.push(...page.map((row) => row.message_id));
            since = page.at(-1)!.received_us;
          }
          expect(pages).toEqual(expected);
          const inChannel = await unreadPage(store, { ...everything, agentId, channelId: 'local:a' });
          const channelOf = new Map(
            (await store.db.selectFrom('inbox_messages').select(['message_id', 'channel_id']).execute()).map(
              (row) => [row.message_id, row.channel_id],
            ),
          );
          expect(inChannel.map((row) => row.message_id)).toEqual(
            expected.filter((id) => channelOf.get(id) === 'local:a'),
          );
          const known = await store.db
            .selectFrom('inbox_agents')
            .selectAll()
            .where('agent_id', '=', agentId)
            .executeTakeFirst();
          if (known) expect(await unreadCount(store, agentId)).toBe(expected.length);
        }
        await store.close();
      }),
      { numRuns: engine === 'sqlite' ? 40 : 15 },
    );
  });
});
