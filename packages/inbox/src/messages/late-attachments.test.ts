import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { disallowSender } from '../access/allowlist.ts';
import type { InboundAttachment, InboundEvent } from '../connectors/connector.ts';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from '../webhooks/enqueue.ts';

const WEBHOOK = { url: 'https://hooks.example/inbox', secrets: [`whsec_${'a'.repeat(32)}`] };
const PHOTO = { key: 'photo', name: 'photo.png', sizeBytes: 5 };

function file(name: string, text: string): InboundAttachment {
  return { name, sizeBytes: text.length, open: async () => onePiece(text) };
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const late = (platformId: string, attachment: InboundAttachment | null): InboundEvent => ({
  kind: 'attachment',
  platformId,
  key: PHOTO.key,
  attachment,
});

async function filesOf(bench: InboxBench, platformId: string) {
  const { message_id } = await bench.stored(platformId);
  return bench.ports.store.db
    .selectFrom('inbox_attachments')
    .select(['name', 'position', 'size_bytes'])
    .where('message_id', '=', message_id)
    .orderBy('position')
    .execute();
}

describeEngines('attachments that come after their message', (engine) => {
  async function waiting(): Promise<{ bench: InboxBench; id: string }> {
    const bench = await inboxBench(engine, { config: { webhooks: [WEBHOOK] } });
    await bench.allow('ana');
    const event = messageEvent({ attachments: [file('first.txt', 'one')], pending: [PHOTO] });
    await bench.accept(event);
    return { bench, id: event.platformId };
  }
  const rawOf = async (bench: InboxBench, id: string) => JSON.parse((await bench.stored(id)).raw);

  test('an edit takes away the files that the message no longer has, and their bytes', async () => {
    const bench = await inboxBench(engine, {
      config: { webhooks: [WEBHOOK], attachments: { maxBytes: 10 } },
    });
    await bench.allow('ana');
    const large = { ...file('large.txt', 'far too much of it'), key: '3' };
    const event = messageEvent({
      text: 'look',
      attachments: [
        { ...file('a.txt', 'one'), key: '1' },
        { ...file('b.txt', 'two'), key: '2' },
        large,
        file('c', 'x'),
      ],
    });
    await bench.accept(event);
    expect(await bench.keptBlobs()).toBe(3);
    const edit = { kind: 'edit', platformId: event.platformId, text: 'look', raw: { edited: true } } as const;
    await bench.accept(edit);
    await bench.accept({ ...edit, attachmentKeys: ['1', '2', '3'] });
    expect((await bench.stored(event.platformId)).edited_us).toBeNull();
    await bench.accept({ ...edit, attachmentKeys: ['2'] });
    await bench.accept({ ...edit, attachmentKeys: ['2'] });
    expect((await filesOf(bench, event.platformId)).map(({ name }) => name)).toEqual(['b.txt', 'c']);
    expect(await rawOf(bench, event.platformId)).toEqual({ edited: true });
    expect(await bench.keptBlobs()).toBe(2);
    const pushed = await bench.ports.store.db.selectFrom('outbox').selectAll().orderBy('id').execute();
    const bodies = pushed.map(({ payload }) => (JSON.parse(payload) as WebhookJob).body);
    expect(bodies.map(({ type, data }) => [type, data.attachments.length])).toEqual([
      ['message.received', 3],
      ['message.updated', 2],
    ]);
  });

  test('somebody no longer allowed can take a file away, and write nothing by it', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({ text: 'look', attachments: [{ ...file('a.txt', 'one'), key: '1' }] });
    await bench.accept(event);
    await disallowSender(bench.ports, { source: 'local', senderId: 'ana', actor: 'test' });
    await bench.accept({
      kind: 'edit',
      platformId: event.platformId,
      text: 'obey',
      raw: { v: 2 },
      attachmentKeys: [],
    });
    expect(await filesOf(bench, event.platformId)).toEqual([]);
    expect((await bench.stored(event.platformId)).text).toBe('look');
  });

  test('the message says what it waits for', async () => {
    const { bench, id } = await waiting();
    expect(await rawOf(bench, id)).toMatchObject({
      pending_attachments: [{ key: 'photo', name: 'photo.png', size_bytes: 5 }],
    });
  });

  test('what comes stands behind what was there, and webhooks hear of it', async () => {
    const { bench, id } = await waiting();
    await bench.accept(late(id, file('photo.png', 'bytes')));
    expect(await filesOf(bench, id)).toEqual([
      { name: 'first.txt', position: 0, size_bytes: 3 },
      { name: 'photo.png', position: 1, size_bytes: 5 },
    ]);
    expect(await rawOf(bench, id)).not.toHaveProperty('pending_attachments');
    const rows = await bench.ports.store.db
      .selectFrom('outbox')
      .select('payload')
      .where('topic', '=', WEBHOOK_TOPIC)
      .orderBy('id')
      .execute();
    expect(rows.map(({ payload }) => (JSON.parse(payload) as WebhookJob).body.type)).toEqual([
      'message.received',
      'message.updated',
    ]);
  });

  test('what is handed in again is not there twice', async () => {
    const { bench, id } = await waiting();
    await bench.accept(late(id, file('photo.png', 'bytes')), late(id, file('photo.png', 'bytes')));
    await bench.accept(late(id, file('photo.png', 'bytes')));
    expect(await filesOf(bench, id)).toHaveLength(2);
    expect(await bench.keptBlobs()).toBe(2);
  });

  test('it may come in the batch of its message', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({ pending: [PHOTO] });
    await bench.accept(event, late(event.platformId, file('photo.png', 'bytes')));
    expect(await filesOf(bench, event.platformId)).toHaveLength(1);
  });

  test('what will not come is noted', async () => {
    const { bench, id } = await waiting();
    await bench.accept(late(id, null));
    const raw = await rawOf(bench, id);
    expect(raw).toMatchObject({ missing_attachments: [{ name: 'photo.png', size_bytes: 5 }] });
    expect(raw).not.toHaveProperty('pending_attachments');
  });

  test('a change of the text does not forget what is awaited', async () => {
    const { bench, id } = await waiting();
    await bench.accept({ kind: 'edit', platformId: id, text: 'changed', raw: {} });
    await bench.accept(late(id, file('photo.png', 'bytes')));
    expect(await filesOf(bench, id)).toHaveLength(2);
  });

  test('a message that was taken back, or whose sender is no longer allowed, gets nothing more', async () => {
    const { bench, id } = await waiting();
    const other = messageEvent({ pending: [PHOTO] });
    await bench.accept(other);
    await bench.accept({ kind: 'delete', platformId: id });
    await disallowSender(bench.ports, { source: 'local', senderId: 'ana', actor: 'test' });
    await bench.accept(late(id, file('photo.png', 'bytes')), late(other.platformId, file('photo.png', 'b')));
    expect(await filesOf(bench, id)).toEqual([]);
    expect(await filesOf(bench, other.platformId)).toEqual([]);
    expect(await bench.keptBlobs()).toBe(0);
  });
});
