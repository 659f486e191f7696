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
import type { WebhookJob } from '../webhooks/enqueue.ts';
import { quarantinePage, releaseMessage } from './quarantine.ts';

const WEBHOOK = { url: 'https://hooks.example/inbox', secrets: [`whsec_${'a'.repeat(32)}`] };
const eve = { sender: { id: 'eve', displayName: 'Eve' } };

async function pushed(bench: InboxBench): Promise<[string, string][]> {
  const rows = await bench.ports.store.db.selectFrom('outbox').select('payload').orderBy('id').execute();
  return rows.map(({ payload }) => {
    const { body }: WebhookJob = JSON.parse(payload);
    return [body.type, body.data.text];
  });
}

const audit = (bench: InboxBench) =>
  bench.ports.store.db
    .selectFrom('inbox_audit')
    .select(['actor', 'action', 'target', 'at_us'])
    .orderBy('audit_id')
    .execute();

describeEngines('quarantine', (engine) => {
  test('a released message is unread for every agent at a new receive time, its platform time unchanged', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const [spam, later] = [messageEvent({ ...eve, text: 'let me in' }), messageEvent()];
    await bench.accept(spam, later);
    const before = await bench.stored(spam.platformId);
    await bench.inbox().markRead('reader', [(await bench.stored(later.platformId)).message_id]);
    const since = (await bench.stored(later.platformId)).received_us;
    await bench.clock.advance(1_000);
    const envelope = await bench.inbox().release(before.message_id, 'bootstrap');
    expect(envelope).toMatchObject({ id: before.message_id, text: 'let me in', direction: 'inbound' });
    const after = await bench.stored(spam.platformId);
    expect(after.timestamp_ms).toBe(before.timestamp_ms);
    expect(after.received_us).toBeGreaterThan(since);
    for (const agent of ['reader', 'never-seen']) {
      const page = await bench.unread(agent, { sinceMicroseconds: since });
      expect(page.map((row) => row.text)).toEqual(['let me in']);
    }
    expect(await pushed(bench)).toEqual([
      ['message.received', later.text],
      ['message.received', 'let me in'],
    ]);
    expect(await audit(bench)).toEqual([
      {
        actor: 'bootstrap',
        action: 'quarantine.release',
        target: before.message_id,
        at_us: bench.clock.nowMicroseconds(),
      },
    ]);
    expect(await quarantinePage(bench.ports, { limit: 10, beforeMessageId: null })).toEqual([]);
    const channel = await bench.ports.store.db.selectFrom('inbox_channels').selectAll().executeTakeFirst();
    expect(channel).toMatchObject({ message_count: 2, last_message_us: after.received_us });
  });

  test('its sender stays unknown: the next message goes to quarantine again', async () => {
    const bench = await inboxBench(engine);
    const [first, second] = [messageEvent(eve), messageEvent(eve)];
    await bench.accept(first);
    await releaseMessage(bench.ports, (await bench.stored(first.platformId)).message_id, 'test');
    await bench.accept(second);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([first.text]);
    const [shown] = (
      await bench
        .inbox()
        .listUnread(
          { agentId: 'a', sinceMicroseconds: null, source: null, channelId: null, limit: 1 },
          0,
          new AbortController().signal,
        )
    ).messages;
    expect(shown?.sender).toEqual({ id: 'eve', display_name: 'Eve', person_id: null });
  });

  test('releasing twice, or many times at once, releases once', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    const other = await bench.again(bench.clock);
    const event = messageEvent(eve);
    await bench.accept(event);
    const { message_id } = await bench.stored(event.platformId);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        releaseMessage((index % 2 ? bench : other).ports, message_id, 'test'),
      ),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of tries)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    await expect(releaseMessage(bench.ports, message_id, 'test')).rejects.toMatchObject({
      code: 'MESSAGE_NOT_FOUND',
    });
    expect([(await pushed(bench)).length, (await audit(bench)).length]).toEqual([1, 1]);
    expect(await bench.unread('a')).toHaveLength(1);
  });

  test('what was never in quarantine cannot be released', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent();
    await bench.accept(event);
    for (const id of [(await bench.stored(event.platformId)).message_id, 'msg_00000000000000000000000000'])
      await expect(releaseMessage(bench.ports, id, 'test')).rejects.toMatchObject({
        code: 'MESSAGE_NOT_FOUND',
      });
    expect(await audit(bench)).toEqual([]);
  });

  test('it is listed newest first, and paging goes on where it was, whatever was released meanwhile', async () => {
    const bench = await inboxBench(engine);
    const events = Array.from({ length: 7 }, (_, index) => messageEvent({ ...eve, text: String(index) }));
    await bench.accept(...events);
    const page = async (beforeMessageId: string | null) =>
      quarantinePage(bench.ports, { limit: 3, beforeMessageId });
    const first = await page(null);
    expect(first.map((row) => row.text)).toEqual(['6', '5', '4']);
    const edge = first.at(-1)!.message_id;
    await releaseMessage(bench.ports, edge, 'test');
    const second = await page(edge);
    expect(second.map((row) => row.text)).toEqual(['3', '2', '1']);
    await bench.accept({ kind: 'delete', platformId: events[1]!.platformId });
    expect((await page(second.at(-1)!.message_id)).map((row) => row.text)).toEqual(['0']);
  });

  test('attachment addresses of the review open what is in quarantine, an agent’s do not', async () => {
    const bench = await inboxBench(engine);
    const bytes = async () =>
      (async function* () {
        yield Buffer.from('x');
      })();
    const event = messageEvent({ ...eve, attachments: [{ name: 'x', sizeBytes: 1, open: bytes }] });
    await bench.accept(event);
    const inbox = bench.inbox();
    const [review] = await inbox.quarantine({ limit: 1, beforeMessageId: null });
    const address = new URL(review!.attachments[0]!.url);
    const audience = inbox.attachmentAudience(
      review!.attachments[0]!.id,
      Number(address.searchParams.get('expires')),
      address.searchParams.get('signature') ?? '',
    );
    expect(audience).toBe('operator');
  });

  test.runIf(engine === 'postgres')('a delete that races with a release tells webhooks of both', async () => {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    const other = await bench.again(bench.clock);
    const event = messageEvent(eve);
    await bench.accept(event);
    const { message_id } = await bench.stored(event.platformId);
    const held = heldCommit(other.ports);
    const releasing = releaseMessage(held.ports, message_id, 'test');
    await held.reached;
    const deleting = createSink(
      bench.ports,
      { source: 'local', account: 'fake' },
      async () => undefined,
    ).accept([{ kind: 'delete', platformId: event.platformId }], '9');
    await untilBlockedOrDone(bench.ports.store, deleting);
    held.commit();
    await Promise.all([releasing, deleting]);
    expect((await pushed(bench)).map(([type]) => type)).toEqual(['message.received', 'message.deleted']);
    expect(await bench.unread('a')).toEqual([]);
  });
});
