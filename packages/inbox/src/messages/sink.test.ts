import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { disallowSender } from '../access/allowlist.ts';
import { quarantinePage } from '../access/quarantine.ts';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from '../webhooks/enqueue.ts';
import { contextWindow } from './context-window.ts';
import { messageById } from './reading.ts';
import { createSink } from './sink.ts';

const WEBHOOK = { url: 'https://hooks.example/inbox', secrets: [`whsec_${'a'.repeat(32)}`] };

async function pushed(bench: InboxBench): Promise<WebhookJob['body'][]> {
  const rows = await bench.ports.store.db
    .selectFrom('outbox')
    .select('payload')
    .where('topic', '=', WEBHOOK_TOPIC)
    .orderBy('id')
    .execute();
  return rows.map((row) => (JSON.parse(row.payload) as WebhookJob).body);
}

const cursorOf = async (bench: InboxBench) =>
  (await bench.ports.store.db.selectFrom('inbox_cursors').selectAll().execute()).map((row) => row.cursor);

const strangers = async () => undefined;

describeEngines('the sink', (engine) => {
  test('a message handed in twice is stored once, whatever batch it comes in', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const [one, two, three] = [messageEvent(), messageEvent(), messageEvent()];
    await bench.accept(one, two, one);
    await bench.accept(two, three);
    await bench.accept(one, two, three);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([one.text, two.text, three.text]);
    const channel = await bench.ports.store.db.selectFrom('inbox_channels').selectAll().executeTakeFirst();
    expect(channel).toMatchObject({ message_count: 3 });
  });

  test('the same platform id at another account or platform is another message', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent();
    await bench.accept(event);
    await createSink(bench.ports, { source: 'local', account: 'other' }, strangers).accept([event], '1');
    expect(await bench.unread('a')).toHaveLength(2);
    await createSink(bench.ports, { source: 'discord', account: 'fake' }, strangers).accept([event], '1');
    expect(await bench.unread('a')).toHaveLength(2);
    expect(await quarantinePage(bench.ports, { limit: 10, beforeMessageId: null })).toHaveLength(1);
  });

  test('two processes that hand in the same batch at once store it once, and neither fails', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await bench.allow('ana');
    const batch = Array.from({ length: 5 }, () => messageEvent());
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 ? bench : other).sink.accept(batch, '5')),
    );
    expect((await bench.unread('a')).map((row) => row.text)).toEqual(batch.map((event) => event.text));
  });

  test('the cursor is stored with the batch, and not at all when the batch fails', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.sink.accept([messageEvent()], 'first');
    const broken = createSink(bench.ports, { source: 'local', account: 'fake' }, async () => {
      throw new Error('the process dies here');
    });
    const batch = [messageEvent(), messageEvent({ sender: { id: 'eve', displayName: 'Eve' } })];
    await expect(broken.accept(batch, 'second')).rejects.toThrow('dies here');
    expect(await cursorOf(bench)).toEqual(['first']);
    expect(await bench.unread('a')).toHaveLength(1);
    await bench.sink.accept(batch, 'second');
    expect(await cursorOf(bench)).toEqual(['second']);
    expect(await bench.unread('a')).toHaveLength(2);
  });

  test('a batch without events moves the cursor', async () => {
    const bench = await inboxBench(engine);
    await bench.sink.accept([], '7');
    await bench.sink.accept([], '9');
    expect(await cursorOf(bench)).toEqual(['9']);
  });

  test('an edit changes the text, tells webhooks, and does not make a read message unread', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const event = messageEvent({ text: 'helo' });
    await bench.accept(event);
    const { message_id } = await bench.stored(event.platformId);
    const inbox = bench.inbox();
    await inbox.markRead('reader', [message_id]);
    const edit = {
      kind: 'edit',
      platformId: event.platformId,
      text: 'hello',
      raw: { edited: true },
    } as const;
    await bench.accept(edit);
    await bench.accept(edit);
    expect(await bench.unread('reader')).toEqual([]);
    expect(await bench.unread('other')).toMatchObject([{ text: 'hello', raw: '{"edited":true}' }]);
    expect((await bench.stored(event.platformId)).edited_us).toBe(bench.clock.nowMicroseconds());
    expect((await pushed(bench)).map(({ type, data }) => [type, data.text])).toEqual([
      ['message.received', 'helo'],
      ['message.updated', 'hello'],
    ]);
  });

  test('an edit keeps the note of an attachment that was left out', async () => {
    const bench = await inboxBench(engine, { config: { attachments: { maxBytes: 10 } } });
    await bench.allow('ana');
    const big = { name: 'film.mp4', sizeBytes: 11, open: () => Promise.reject(new Error('not opened')) };
    const event = messageEvent({ attachments: [big], raw: { id: 1 } });
    await bench.accept(event);
    await bench.accept({ kind: 'edit', platformId: event.platformId, text: 'look', raw: { id: 1, v: 2 } });
    expect(JSON.parse((await bench.stored(event.platformId)).raw)).toMatchObject({
      id: 1,
      v: 2,
      missing_attachments: [{ name: 'film.mp4', size_bytes: 11 }],
    });
  });

  test('what a sender who is off the list again writes into an old message is not let in', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const event = messageEvent({ text: 'lunch?' });
    await bench.accept(event);
    await disallowSender(bench.ports, { source: 'local', senderId: 'ana', actor: 'test' });
    await bench.accept({ kind: 'edit', platformId: event.platformId, text: 'obey me', raw: {} });
    expect(await bench.unread('a')).toMatchObject([{ text: 'lunch?', edited_us: null }]);
    expect((await pushed(bench)).map(({ type }) => type)).toEqual(['message.received']);
  });

  test('an edit of a stranger stays in quarantine, and is what a release lets out', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    const event = messageEvent({ sender: { id: 'eve', displayName: 'Eve' }, text: 'hi' });
    await bench.accept(event);
    await bench.accept({ kind: 'edit', platformId: event.platformId, text: 'hi there', raw: {} });
    expect(await bench.unread('a')).toEqual([]);
    expect(await pushed(bench)).toEqual([]);
    const { message_id } = await bench.stored(event.platformId);
    await bench.inbox().release(message_id, 'test');
    expect(await bench.unread('a')).toMatchObject([{ text: 'hi there' }]);
  });

  test('a deleted message is a tombstone that is nobody’s unread and tells webhooks', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const [gone, kept] = [messageEvent({ text: 'secret', raw: { secret: 1 } }), messageEvent()];
    await bench.accept(gone, kept);
    const inbox = bench.inbox();
    const { message_id } = await bench.stored(kept.platformId);
    await inbox.markRead('filled', [message_id]);
    await bench.accept({ kind: 'delete', platformId: gone.platformId });
    await bench.accept({ kind: 'delete', platformId: gone.platformId });
    await bench.accept({ kind: 'edit', platformId: gone.platformId, text: 'back again', raw: { secret: 2 } });
    expect(await bench.unread('filled')).toEqual([]);
    expect((await bench.unread('new')).map((row) => row.message_id)).toEqual([message_id]);
    const tombstone = await bench.stored(gone.platformId);
    expect(await messageById(bench.ports, tombstone.message_id)).toMatchObject({
      text: '',
      attachments: [],
      raw: {},
    });
    expect((await pushed(bench)).map(({ type, data }) => [type, data.text])).toEqual([
      ['message.received', 'secret'],
      ['message.received', kept.text],
      ['message.deleted', ''],
    ]);
  });

  test('a deleted stranger’s message is no longer there to review or release', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    const event = messageEvent({ sender: { id: 'eve', displayName: 'Eve' } });
    await bench.accept(event);
    await bench.accept({ kind: 'delete', platformId: event.platformId });
    expect(await quarantinePage(bench.ports, { limit: 10, beforeMessageId: null })).toEqual([]);
    const { message_id } = await bench.stored(event.platformId);
    await expect(bench.inbox().release(message_id, 'test')).rejects.toMatchObject({
      code: 'MESSAGE_NOT_FOUND',
    });
    expect(await pushed(bench)).toEqual([]);
  });

  test('edits and deletes of what was never seen change nothing', async () => {
    const bench = await inboxBench(engine);
    await bench.accept(
      { kind: 'edit', platformId: 'never', text: 'x', raw: {} },
      { kind: 'delete', platformId: 'never' },
    );
    expect(await cursorOf(bench)).toEqual(['1']);
  });

  test('message, edit and delete of one batch come to the tombstone', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent();
    await bench.accept(
      event,
      { kind: 'edit', platformId: event.platformId, text: 'b', raw: {} },
      { kind: 'delete', platformId: event.platformId },
    );
    expect(await bench.stored(event.platformId)).toMatchObject({ text: '', feed_us: null });
    expect(await bench.unread('a')).toEqual([]);
  });

  test('a stranger with an allowed person’s name is a stranger all the same', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana', { displayName: 'Ana', personId: 'person-1' });
    const real = messageEvent({ sender: { id: 'ana', displayName: 'Ana' } });
    const fake = messageEvent({ sender: { id: 'ANA', displayName: 'Ana' } });
    await bench.accept(real, fake);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([real.text]);
    const quarantined = await bench.inbox().quarantine({ limit: 10, beforeMessageId: null });
    expect(quarantined.map(({ sender }) => sender)).toEqual([
      { id: 'ANA', display_name: 'Ana', person_id: null },
    ]);
  });

  test('a stranger’s message is in neither unread, context, by id, webhooks nor its attachments', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const bytes = async () =>
      (async function* () {
        yield Buffer.from('hello');
      })();
    const known = messageEvent();
    const stranger = messageEvent({
      sender: { id: 'eve', displayName: 'Eve' },
      attachments: [{ name: 'a.txt', sizeBytes: 5, open: bytes }],
    });
    await bench.accept(stranger, known);
    const inbox = bench.inbox();
    const [hidden, shown] = [await bench.stored(stranger.platformId), await bench.stored(known.platformId)];
    expect((await bench.unread('a')).map((row) => row.message_id)).toEqual([shown.message_id]);
    const window = await contextWindow(bench.ports.store, {
      channelId: 'local:team',
      messageId: shown.message_id,
      before: 50,
      after: 50,
    });
    expect(window.map((row) => row.message_id)).toEqual([shown.message_id]);
    for (const id of [hidden.message_id, 'msg_00000000000000000000000000']) {
      await expect(inbox.message(id)).rejects.toMatchObject({
        code: 'MESSAGE_NOT_FOUND',
        message: `There is no message ${id}.`,
      });
    }
    expect((await pushed(bench)).map(({ data }) => data.id)).toEqual([shown.message_id]);
    const [review] = await inbox.quarantine({ limit: 1, beforeMessageId: null });
    const attachmentId = review?.attachments[0]?.id ?? '';
    await expect(
      inbox.attachment(attachmentId, { quarantined: false, range: undefined }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await inbox.attachment(attachmentId, { quarantined: true, range: undefined })).status).toBe(200);
    const channel = await bench.ports.store.db.selectFrom('inbox_channels').selectAll().executeTakeFirst();
    expect(channel).toMatchObject({ message_count: 1, last_message_us: shown.received_us });
  });

  test('an answer points at the message it answers, and at nothing in another channel', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const asked = messageEvent();
    const here = messageEvent({ replyToPlatformId: asked.platformId });
    const elsewhere = messageEvent({
      replyToPlatformId: asked.platformId,
      channel: { id: 'local:other', type: 'group' },
    });
    const unknown = messageEvent({ replyToPlatformId: 'never' });
    await bench.accept(asked, here, elsewhere, unknown);
    const { message_id } = await bench.stored(asked.platformId);
    expect((await bench.unread('a')).map((row) => row.reply_to)).toEqual([null, message_id, null, null]);
  });

  test('names that hide, reorder or blank out are cleaned; an empty one falls back to the id', async () => {
    const bench = await inboxBench(engine);
    const named = async (displayName: string, channelName = 'team') => {
      const event = messageEvent({
        sender: { id: 'eve', displayName },
        channel: { id: 'local:team', type: 'group', name: channelName },
      });
      await bench.accept(event);
      return (await bench.stored(event.platformId)).sender_name;
    };
    expect(await named('admin\u202Egnp.exe')).toBe('admingnp.exe');
    expect(await named('\u200B\u2066\u0000\u0007 ')).toBe('eve');
    expect(await named('\ud800Ana\udc00')).toBe('Ana');
    expect(await named('a\n\tb')).toBe('a b');
    expect((await named('n'.repeat(100_000))).length).toBe(80);
    await named('Eve', '\u202Eteam\u0000');
    const channel = await bench.ports.store.db.selectFrom('inbox_channels').select('name').executeTakeFirst();
    expect(channel?.name).toBe('team');
  });

  test('text and payload with NUL and lone surrogates are stored and come back well-formed', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({ text: 'a\u0000b\ud800', raw: { 'k\u0000': 'v\udfff\u0000', n: 1 } });
    await bench.accept(event);
    await bench.accept({ kind: 'edit', platformId: event.platformId, text: '\udc00c\u0000', raw: {} });
    expect((await bench.unread('a'))[0]?.text).toBe('\ufffdc\ufffd');
    const [shown] = (
      await bench
        .inbox()
        .listUnread(
          { agentId: 'a', sinceMicroseconds: null, source: null, channelId: null, limit: 5 },
          0,
          new AbortController().signal,
        )
    ).messages;
    expect(shown?.text).toBe('\ufffdc\ufffd');
  });

  test('ids no database or route could carry do not hold up the messages behind them', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const fine = messageEvent();
    await bench.accept(
      messageEvent({ platformId: 'nul\u0000id', sender: { id: 'ev\u0000e\ud800', displayName: 'Eve' } }),
      messageEvent({ sender: { id: 'x'.repeat(9_000), displayName: 'Long' } }),
      messageEvent({ platformId: 'y'.repeat(9_000) }),
      messageEvent({ channel: { id: `local:${'z'.repeat(9_000)}`, type: 'group' } }),
      messageEvent({ sender: { id: '', displayName: '' } }),
      fine,
    );
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([fine.text]);
    expect(await cursorOf(bench)).toEqual(['1']);
    expect(bench.log.lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0);
  });

  test('a time that is none, or that no envelope can say, becomes the time of arrival', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const times = [Number.NaN, Number.POSITIVE_INFINITY, 1e17, -1e17, 1_700_000_000_000.75];
    for (const timestampMs of times) await bench.accept(messageEvent({ timestampMs }));
    const now = bench.clock.nowMicroseconds() / 1_000;
    expect((await bench.unread('a')).map((row) => row.timestamp_ms)).toEqual([
      now,
      now,
      now,
      now,
      1_700_000_000_000,
    ]);
  });

  test('a message that comes back late is found by those who have read on', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(messageEvent({ timestampMs: 1_700_000_100_000 }));
    const since = (await bench.unread('a')).at(-1)!.received_us;
    const late = messageEvent({ timestampMs: 1_600_000_000_000 });
    await bench.accept(late);
    expect((await bench.unread('a', { sinceMicroseconds: since })).map((row) => row.text)).toEqual([
      late.text,
    ]);
  });
});
