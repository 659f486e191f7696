import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sendMessage } from '../send/send.ts';
import { fakeConnector, type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { contextWindow } from './context-window.ts';
import { conversation } from './reading.ts';

const T = 1_700_000_000_000;

async function around(
  bench: InboxBench,
  platformId: string,
  before = 5,
  after = 5,
  channelId = 'local:team',
) {
  const { message_id } = await bench.stored(platformId);
  const rows = await contextWindow(bench.ports.store, { channelId, messageId: message_id, before, after });
  return rows.map((row) => row.text);
}

const at = (timestampMs: number, text: string, more: Parameters<typeof messageEvent>[0] = {}) =>
  messageEvent({ timestampMs, text, ...more });

describeEngines('the context of a message', (engine) => {
  test('it is in the order of platform time, equal times in the order of arrival, target included', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const target = at(T, 'target');
    await bench.accept(at(T + 1, 'after'), at(T, 'equal 1'), target, at(T, 'equal 2'), at(T - 1, 'before'));
    expect(await around(bench, target.platformId)).toEqual([
      'before',
      'equal 1',
      'target',
      'equal 2',
      'after',
    ]);
    expect(await around(bench, target.platformId, 1, 1)).toEqual(['equal 1', 'target', 'equal 2']);
  });

  test('what comes back late stands where its time says', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const target = at(T, 'target');
    await bench.accept(at(T - 10, 'old'), target, at(T + 10, 'new'));
    await bench.accept(at(T - 5, 'late'));
    expect(await around(bench, target.platformId)).toEqual(['old', 'late', 'target', 'new']);
  });

  test('before and after are each 0 to 50 and count only their own side', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const events = Array.from({ length: 121 }, (_, index) => at(T + index, String(index)));
    await bench.accept(...events);
    const middle = events[60]!.platformId;
    expect(await around(bench, middle, 0, 0)).toEqual(['60']);
    expect(await around(bench, middle, 0, 2)).toEqual(['60', '61', '62']);
    expect(await around(bench, middle, 2, 0)).toEqual(['58', '59', '60']);
    const widest = await around(bench, middle, 50, 50);
    expect([widest.length, widest[0], widest[100]]).toEqual([101, '10', '110']);
    expect(await around(bench, events[0]!.platformId, 50, 1)).toEqual(['0', '1']);
    expect(await around(bench, events[120]!.platformId, 1, 50)).toEqual(['119', '120']);
  });

  test('strangers’ messages neither show nor count, and show at their time once released', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const stranger = { sender: { id: 'eve', displayName: 'Eve' } };
    const [target, hidden] = [at(T, 'target'), at(T - 1, 'spam', stranger)];
    await bench.accept(at(T - 2, 'known'), hidden, target, at(T + 1, 'spam', stranger), at(T + 2, 'last'));
    expect(await around(bench, target.platformId, 1, 1)).toEqual(['known', 'target', 'last']);
    await expect(around(bench, hidden.platformId)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    await bench.inbox().release((await bench.stored(hidden.platformId)).message_id, 'test');
    expect(await around(bench, target.platformId)).toEqual(['known', 'spam', 'target', 'last']);
  });

  test('a target of another channel, of none or of no id is not found', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const target = messageEvent();
    await bench.accept(target, messageEvent({ channel: { id: 'local:other', type: 'group' } }));
    for (const channelId of ['local:other', 'local:unknown', 'discord:dm:1'])
      await expect(around(bench, target.platformId, 5, 5, channelId)).rejects.toMatchObject({
        code: 'MESSAGE_NOT_FOUND',
        status: 404,
      });
    const request = { channelId: 'local:team', messageId: 'msg_00000000000000000000000000' };
    await expect(contextWindow(bench.ports.store, { ...request, before: 1, after: 1 })).rejects.toMatchObject(
      { code: 'MESSAGE_NOT_FOUND' },
    );
  });

  test('other channels, tombstones and the agent’s own answers: only the first is left out', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const [target, gone] = [at(T, 'target'), at(T - 1, 'gone')];
    await bench.accept(gone, at(T, 'elsewhere', { channel: { id: 'local:other', type: 'group' } }), target);
    await bench.accept({ kind: 'delete', platformId: gone.platformId });
    await sendMessage(
      bench.ports,
      () => fakeConnector(),
      { channel_id: 'local:team', text: 'my answer' },
      { kind: 'bearer', credential: 'bearer', agentId: 'a' },
      null,
      new AbortController().signal,
    );
    expect(await around(bench, target.platformId)).toEqual(['', 'target', 'my answer']);
  });

  test('for any times, the window is what sorting the whole channel gives', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 1, maxLength: 12 }),
        fc.nat(11),
        fc.nat(6),
        fc.nat(6),
        async (offsets, pick, before, after) => {
          round += 1;
          const channel = { id: `local:r${round}`, type: 'group' as const };
          const events = offsets.map((offset, index) => at(T + offset, `${index}`, { channel }));
          await bench.accept(...events);
          const sorted = events
            .map((event, index) => ({ event, index }))
            .sort((a, b) => a.event.timestampMs - b.event.timestampMs || a.index - b.index);
          const target = pick % events.length;
          const place = sorted.findIndex(({ index }) => index === target);
          const expected = sorted.slice(Math.max(0, place - before), place + after + 1);
          const window = await around(bench, events[target]!.platformId, before, after, channel.id);
          expect(window).toEqual(expected.map(({ event }) => event.text));
        },
      ),
      { numRuns: 25 },
    );
  });
});

describeEngines('a conversation for the operator', (engine) => {
  test('pages go back from the newest, each oldest first, without a gap or a repetition', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(
      ...Array.from({ length: 7 }, (_, index) => at(T + Math.floor(index / 3), String(index))),
    );
    const page = (beforeMessageId: string | null) =>
      conversation(bench.ports, { channelId: 'local:team', beforeMessageId, limit: 3 });
    const texts: string[][] = [];
    let before: string | null = null;
    do {
      const { messages, next_before }: Awaited<ReturnType<typeof page>> = await page(before);
      texts.push(messages.map(({ text }) => text));
      before = next_before;
    } while (before !== null);
    expect(texts).toEqual([['4', '5', '6'], ['1', '2', '3'], ['0']]);
  });

  test('it tells edits, deletions and readers, and refuses unknown channels and edges', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const [edited, deleted] = [messageEvent(), messageEvent()];
    await bench.accept(edited, deleted);
    await bench.clock.advance(1_000);
    await bench.accept(
      { kind: 'edit', platformId: edited.platformId, text: 'b', raw: {} },
      { kind: 'delete', platformId: deleted.platformId },
    );
    const inbox = bench.inbox();
    await inbox.markRead('a', [(await bench.stored(edited.platformId)).message_id]);
    const { messages } = await inbox.conversation({
      channelId: 'local:team',
      beforeMessageId: null,
      limit: 5,
    });
    const time = '2026-05-01T00:00:01.000000Z';
    expect(messages).toMatchObject([
      { edited_at: time, deleted_at: null, read_by: [{ agent_id: 'a', read_at: time }] },
      { edited_at: null, deleted_at: time, read_by: [], text: '' },
    ]);
    const request = { beforeMessageId: null, limit: 5 };
    await expect(inbox.conversation({ channelId: 'local:none', ...request })).rejects.toMatchObject({
      code: 'CHANNEL_NOT_FOUND',
    });
    await expect(
      inbox.conversation({
        ...request,
        channelId: 'local:team',
        beforeMessageId: 'msg_00000000000000000000000000',
      }),
    ).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
  });
});
