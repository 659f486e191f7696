import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { createSink } from '../messages/sink.ts';
import { type InboxBench, inboundFile, inboxBench, messageEvent } from '../testing/index.ts';
import { sweepStaged } from './staged.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const DAY_US = 24 * 3_600 * 1_000_000;

const rows = (bench: InboxBench) =>
  bench.ports.store.db.selectFrom('inbox_attachments').selectAll().orderBy('attachment_id').execute();

async function missingOf(bench: InboxBench, platformId: string): Promise<unknown> {
  return JSON.parse((await bench.stored(platformId)).raw).missing_attachments;
}

/** Bytes that never come: neither the open nor the read settles, whatever the signal says. */
const hangs = () => new Promise<never>(() => undefined);

describeEngines('inbound attachments', (engine) => {
  test('bytes are kept under the type found in them, in order, with clean names and real sizes', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({
      attachments: [
        inboundFile('holiday.exe', PNG, 3),
        inboundFile('\u202Egnp.exe\u0000', 'just text'),
        inboundFile('', new Uint8Array([0, 1, 2])),
        inboundFile('n'.repeat(5_000), ''),
      ],
    });
    await bench.accept(event);
    const envelope = await bench.inbox().message((await bench.stored(event.platformId)).message_id);
    expect(envelope.attachments.map(({ mime, size_bytes }) => [mime, size_bytes])).toEqual([
      ['image/png', PNG.length],
      ['text/plain', 9],
      ['application/octet-stream', 3],
      ['application/octet-stream', 0],
    ]);
    expect((await rows(bench)).map(({ name }) => name)).toEqual([
      'holiday.exe',
      'gnp.exe',
      'attachment',
      'n'.repeat(80),
    ]);
    expect(envelope.attachments[0]?.url).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/attachments\/att_[0-9A-Z]{26}\?/,
    );
    expect(await missingOf(bench, event.platformId)).toBeUndefined();
  });

  test('one that is too large is noted and the message comes through, whether its size was told or lied about', async () => {
    const bench = await inboxBench(engine, { config: { attachments: { maxBytes: 10 } } });
    await bench.allow('ana');
    const event = messageEvent({
      attachments: [
        { name: 'told.bin', sizeBytes: 11, open: () => Promise.reject(new Error('must not be opened')) },
        inboundFile('lied.bin', 'x'.repeat(11), 1),
        inboundFile('fits.txt', 'x'.repeat(10)),
      ],
    });
    await bench.accept(event);
    const reason = 'larger than inbox.attachments.maxBytes (10)';
    expect(await missingOf(bench, event.platformId)).toEqual([
      { name: 'told.bin', size_bytes: 11, missing: reason },
      { name: 'lied.bin', size_bytes: 1, missing: reason },
    ]);
    expect((await rows(bench)).map(({ name, position }) => [name, position])).toEqual([['fits.txt', 0]]);
    expect(await bench.keptBlobs()).toBe(1);
    expect(await bench.unread('a')).toHaveLength(1);
  });

  test('one that cannot be fetched is noted and the message comes through', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({
      attachments: [
        { name: 'a', sizeBytes: 1, open: () => Promise.reject(new Error('404')) },
        {
          name: 'b',
          sizeBytes: 1,
          open: async () =>
            (async function* () {
              yield Buffer.from('half');
              throw new Error('connection lost');
            })(),
        },
      ],
    });
    await bench.accept(event);
    expect(await missingOf(bench, event.platformId)).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(await rows(bench)).toEqual([]);
    expect(await bench.keptBlobs()).toBe(0);
    expect(bench.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  test('one that hangs is given up after a minute, also when it does not listen', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({
      attachments: [
        { name: 'open', sizeBytes: 1, open: hangs },
        {
          name: 'read',
          sizeBytes: 1,
          open: async () => ({ [Symbol.asyncIterator]: () => ({ next: hangs, return: hangs }) }),
        },
      ],
    });
    const accepted = bench.accept(event);
    for (let attachment = 0; attachment < 2; attachment += 1) {
      await bench.clock.untilSleeping();
      await bench.clock.advance(60_000);
    }
    await accepted;
    expect(await missingOf(bench, event.platformId)).toMatchObject([{ name: 'open' }, { name: 'read' }]);
    expect(await rows(bench)).toEqual([]);
  });

  test('links that hang do not add up: those of several messages are waited for together', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const events = Array.from({ length: 8 }, () =>
      messageEvent({ attachments: [{ name: 'a', sizeBytes: 1, open: hangs }] }),
    );
    const accepted = bench.accept(...events);
    await bench.clock.untilSleeping(events.length);
    await bench.clock.advance(60_000);
    await accepted;
    expect(await bench.unread('a')).toMatchObject(events.map(({ text }) => ({ text })));
  });

  test('a batch that fails leaves no bytes behind, and handed in again it is whole', async () => {
    const bench = await inboxBench(engine);
    const broken = createSink(bench.ports, { source: 'local', account: 'fake' }, async () => {
      throw new Error('no');
    });
    const event = messageEvent({ attachments: [inboundFile('a.txt', 'hello')] });
    await expect(broken.accept([event], '1')).rejects.toThrow('no');
    expect([await rows(bench), await bench.keptBlobs()]).toEqual([[], 0]);
    await bench.accept(event);
    expect([(await rows(bench)).length, await bench.keptBlobs()]).toEqual([1, 1]);
  });

  test('when the hub’s own store fails, the batch fails rather than losing the attachment', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const ports = {
      ...bench.ports,
      blobs: { ...bench.ports.blobs, put: () => Promise.reject(new Error('disk full')) },
    };
    const sink = createSink(ports, { source: 'local', account: 'fake' }, async () => undefined);
    const event = messageEvent({ attachments: [inboundFile('a.txt', 'hello')] });
    await expect(sink.accept([event], '1')).rejects.toThrow('disk full');
    expect(await rows(bench)).toEqual([]);
    await bench.accept(event);
    expect(await rows(bench)).toHaveLength(1);
  });

  test('what a killed process left behind is swept after a day, and nothing younger or in use', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const stuck = createSink(bench.ports, { source: 'local', account: 'fake' }, async () => undefined);
    // The second attachment never comes, so the first stays as a kill would leave it.
    void stuck
      .accept(
        [
          messageEvent({
            attachments: [inboundFile('a', 'a'), { name: 'b', sizeBytes: 1, open: hangs }],
          }),
        ],
        '1',
      )
      .catch(() => undefined);
    while ((await rows(bench)).length < 2) await new Promise((resolve) => setImmediate(resolve));
    await bench.accept(messageEvent({ attachments: [inboundFile('c', 'c')] }));
    const now = bench.clock.nowMicroseconds();
    await sweepStaged(bench.ports, now - DAY_US);
    expect(await rows(bench)).toHaveLength(3);
    await sweepStaged(bench.ports, now + 1);
    expect((await rows(bench)).map(({ name }) => name)).toEqual(['c']);
    expect(await bench.keptBlobs()).toBe(1);
  });

  test('a message that is there already is not fetched again, and twice in a batch is kept once', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    let opened = 0;
    const file = inboundFile('a.txt', 'hello');
    const counted = {
      ...file,
      open: () => {
        opened += 1;
        return file.open();
      },
    };
    const event = messageEvent({ attachments: [counted] });
    await bench.accept(event, { ...event });
    expect([(await rows(bench)).length, await bench.keptBlobs()]).toEqual([1, 1]);
    const before = opened;
    await bench.accept(event);
    expect(opened).toBe(before);
  });

  test('deleting a message deletes its bytes; an edit leaves them', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({ attachments: [inboundFile('a', 'a'), inboundFile('b', 'b')] });
    await bench.accept(event);
    await bench.accept({ kind: 'edit', platformId: event.platformId, text: 'new', raw: {} });
    expect(await bench.keptBlobs()).toBe(2);
    await bench.accept({ kind: 'delete', platformId: event.platformId });
    expect([await rows(bench), await bench.keptBlobs()]).toEqual([[], 0]);
  });

  test('bytes of a deleted message that cannot be removed at once are out of reach, and swept later', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const event = messageEvent({ attachments: [inboundFile('a', 'a')] });
    await bench.accept(event);
    const [row] = await rows(bench);
    const ports = {
      ...bench.ports,
      blobs: { ...bench.ports.blobs, delete: () => Promise.reject(new Error('busy')) },
    };
    const sink = createSink(ports, { source: 'local', account: 'fake' }, async () => undefined);
    await sink.accept([{ kind: 'delete', platformId: event.platformId }], '2');
    await expect(
      bench.inbox().attachment(row?.attachment_id ?? '', { quarantined: true, range: undefined }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await sweepStaged(bench.ports, bench.clock.nowMicroseconds() + 1);
    expect([await rows(bench), await bench.keptBlobs()]).toEqual([[], 0]);
  });
});
