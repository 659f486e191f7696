import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { fail } from '../errors.ts';
import {
  type BenchOptions,
  type FakeConnector,
  fakeConnector,
  freshFolder,
  type InboxBench,
  inboundFile,
  inboxBench,
  messageEvent,
} from '../testing/index.ts';
import { type SendRequest, sendMessage } from './send.ts';

interface Sender {
  readonly bench: InboxBench;
  readonly platform: FakeConnector;
  readonly folder: string;
  send(
    attachments: SendRequest['attachments'],
    key?: string,
    signal?: AbortSignal,
  ): ReturnType<typeof sendMessage>;
  /** That nothing of a refused send is left: no call, no row, no bytes beyond those of `messages`. */
  expectNothingLeft(kept?: number): Promise<void>;
}

async function sender(engine: 'sqlite' | 'postgres', options: BenchOptions = {}): Promise<Sender> {
  const folder = await freshFolder();
  await mkdir(join(folder, 'out'));
  await writeFile(join(folder, 'out', 'note.txt'), 'a note');
  const bench = await inboxBench(engine, {
    ...options,
    config: {
      ...options.config,
      attachments: { allowedDirs: [join(folder, 'out')], ...options.config?.attachments },
    },
  });
  const platform = fakeConnector();
  await bench.allow('ana');
  await bench.accept(messageEvent());
  return {
    bench,
    platform,
    folder: join(folder, 'out'),
    send: (attachments, key, signal = new AbortController().signal) =>
      sendMessage(
        bench.ports,
        () => platform,
        { channel_id: 'local:team', text: 'see this', attachments },
        { kind: 'bearer', credential: 'bearer', agentId: 'a' },
        key ?? null,
        signal,
      ),
    async expectNothingLeft(kept = 0) {
      const rows = await bench.ports.store.db.selectFrom('inbox_attachments').selectAll().execute();
      expect([rows.length, await bench.keptBlobs()]).toEqual([kept, kept]);
      const outbound = bench.ports.store.db.selectFrom('inbox_messages').where('direction', '=', 'outbound');
      expect(await outbound.selectAll().execute()).toEqual([]);
    },
  };
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}

describeEngines('sending attachments', (engine) => {
  test('a file by path is copied, sent under its name and type, and served from the hub', async () => {
    const { bench, platform, folder, send } = await sender(engine);
    const { answer } = await send([{ path: join(folder, 'note.txt') }]);
    expect(platform.files).toEqual([{ name: 'note.txt', mime: 'text/plain', text: 'a note' }]);
    const envelope = await bench.inbox().message(answer.message_id);
    expect(envelope.attachments).toMatchObject([{ mime: 'text/plain', size_bytes: 6 }]);
    const served = await bench
      .inbox()
      .attachment(envelope.attachments[0]!.id, { quarantined: false, range: undefined });
    expect(served.status).toBe(200);
  });

  test('an attachment of the hub goes by its address, signed or not, expired or not', async () => {
    const { bench, platform, send } = await sender(engine);
    const event = messageEvent({ attachments: [inboundFile('pic.txt', 'from ana')] });
    await bench.accept(event);
    const { attachments } = await bench.inbox().message((await bench.stored(event.platformId)).message_id);
    const address = new URL(attachments[0]!.url);
    await bench.clock.advance(7_200_000);
    await send([{ url: address.href }]);
    address.search = '';
    await send([{ url: address.href }]);
    expect(platform.files.map(({ name, text }) => [name, text])).toEqual([
      ['pic.txt', 'from ana'],
      ['pic.txt', 'from ana'],
    ]);
    // A copy of its own each time: deleting the original takes nothing from what was sent.
    expect(await bench.keptBlobs()).toBe(3);
  });

  test('an address of the hub that it does not hold, or that is in quarantine, is not found', async () => {
    const { bench, send, platform, expectNothingLeft } = await sender(engine);
    const event = messageEvent({
      sender: { id: 'eve', displayName: 'Eve' },
      attachments: [inboundFile('a', 'x')],
    });
    await bench.accept(event);
    const [review] = await bench.inbox().quarantine({ limit: 1, beforeMessageId: null });
    const hub = 'http://127.0.0.1:8080/attachments';
    for (const url of [
      review!.attachments[0]!.url,
      `${hub}/att_00000000000000000000000000`,
      `${hub}/`,
      `${hub}/x/y`,
      `${hub}/..%2f..%2fsecrets`,
      `${hub}/%00`,
      `${hub}/${'x'.repeat(3_000)}`,
    ])
      await expect(send([{ url }])).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND', status: 404 });
    expect(platform.calls).toBe(0);
    await expectNothingLeft(1);
  });

  test('other addresses are off unless enabled, and the refusal names the setting', async () => {
    const { send, expectNothingLeft } = await sender(engine);
    for (const url of ['https://example.com/a.png', 'http://127.0.0.1:9/attachments/att_x'])
      await expect(send([{ url }])).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining('inbox.attachments.fetchUrls'),
        violations: [{ field: 'attachments.0.url', code: 'not_allowed' }],
      });
    await expectNothingLeft();
  });

  test('enabled, they are fetched and sent under the name in the address', async () => {
    const asked: unknown[][] = [];
    const { platform, send } = await sender(engine, {
      config: { attachments: { fetchUrls: true, maxBytes: 500 } },
      fetchAttachment: async (address, field, maxBytes) => {
        asked.push([address.href, field, maxBytes]);
        return bytes('fetched');
      },
    });
    await send([
      { url: 'https://example.com/x/%C3%9Cbersicht.txt?token=1' },
      { url: 'https://example.com/' },
      { url: 'https://example.com/%E0%A4%A' },
    ]);
    expect(asked[0]).toEqual(['https://example.com/x/%C3%9Cbersicht.txt?token=1', 'attachments.0.url', 500]);
    expect(platform.files.map(({ name }) => name)).toEqual(['Übersicht.txt', 'attachment', '%E0%A4%A']);
  });

  test('more than the platform takes is refused before anything is opened', async () => {
    const { send, folder, expectNothingLeft } = await sender(engine);
    const path = join(folder, 'note.txt');
    await expect(send([{ path }, { path }, { path }, { path }])).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ field: 'attachments', code: 'too_many' }],
    });
    await expectNothingLeft();
    await expect(send([{ path }, { path }, { path }])).resolves.toBeDefined();
  });

  test('larger than the platform or the hub takes is too large, whatever way it comes', async () => {
    const { bench, send, folder, expectNothingLeft } = await sender(engine, {
      config: { attachments: { fetchUrls: true, maxBytes: 2_000 } },
      fetchAttachment: async () => bytes('x'.repeat(1_001)),
    });
    await writeFile(join(folder, 'big'), 'x'.repeat(1_001));
    await writeFile(join(folder, 'fits'), 'x'.repeat(1_000));
    const event = messageEvent({ attachments: [inboundFile('big', 'x'.repeat(1_001))] });
    await bench.accept(event);
    const own = await bench.inbox().message((await bench.stored(event.platformId)).message_id);
    for (const attachment of [
      { path: join(folder, 'big') },
      { url: 'https://example.com/big' },
      { url: own.attachments[0]!.url },
    ])
      await expect(send([{ path: join(folder, 'note.txt') }, attachment])).rejects.toMatchObject({
        code: 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM',
        status: 413,
      });
    await expectNothingLeft(1);
    await expect(send([{ path: join(folder, 'fits') }])).resolves.toBeDefined();
  });

  test('a folder without a name in the setting, and a path outside, are refused with the field named', async () => {
    const { send, expectNothingLeft } = await sender(engine);
    await expect(send([{ path: '/etc/hostname' }])).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ field: 'attachments.0.path' }],
    });
    await expectNothingLeft();
  });

  const failures: [string, Partial<Record<'code' | 'status', unknown>>, (s: Sender) => void][] = [
    [
      'the platform refuses',
      { code: 'PLATFORM_SEND_FAILED' },
      ({ platform }) => platform.orders.push('failed'),
    ],
    ['the credentials are bad', { code: 'PLATFORM_AUTH' }, ({ platform }) => platform.orders.push('auth')],
    [
      'the platform finds it too large',
      { code: 'ATTACHMENT_TOO_LARGE_FOR_PLATFORM' },
      ({ platform }) => platform.orders.push('too_large'),
    ],
    [
      'the outcome is unknown',
      { code: 'PLATFORM_SEND_FAILED' },
      ({ platform }) => platform.orders.push('unknown'),
    ],
  ];
  test.each(failures)('when %s, nothing staged is left', async (_name, expected, arrange) => {
    const all = await sender(engine);
    arrange(all);
    const path = join(all.folder, 'note.txt');
    await expect(all.send([{ path }, { path }])).rejects.toMatchObject(expected);
    await all.expectNothingLeft();
  });

  test('when the second attachment cannot be had, the first is not left', async () => {
    const all = await sender(engine, {
      config: { attachments: { fetchUrls: true } },
      fetchAttachment: (address) =>
        address.pathname === '/late'
          ? Promise.resolve(
              (async function* () {
                yield Buffer.from('half');
                throw fail('VALIDATION_FAILED', 'broke off');
              })(),
            )
          : Promise.reject(fail('VALIDATION_FAILED', 'the address is refused')),
    });
    for (const name of ['/refused', '/late'])
      await expect(
        all.send([{ path: join(all.folder, 'note.txt') }, { url: `https://example.com${name}` }], 'k'),
      ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(all.platform.calls).toBe(0);
    await all.expectNothingLeft();
  });

  test('when the rate limit says no, what was staged goes and the key stays free', async () => {
    const all = await sender(engine, { config: { rateLimit: { perSecond: 1, burst: 1 } } });
    await all.send([], 'first');
    const path = join(all.folder, 'note.txt');
    await expect(all.send([{ path }], 'second')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await all.bench.keptBlobs()).toBe(0);
    await all.bench.clock.advance(1_000);
    await expect(all.send([{ path }], 'second')).resolves.toMatchObject({ replayed: false });
  });

  test('a caller that goes while a file is fetched stops the send before the platform is called', async () => {
    const gone = new AbortController();
    const asked = Promise.withResolvers<void>();
    const all = await sender(engine, {
      config: { attachments: { fetchUrls: true } },
      fetchAttachment(_address, _field, _maxBytes, signal) {
        asked.resolve();
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      },
    });
    const sending = all.send([{ url: 'https://example.com/slow' }], 'k', gone.signal);
    await asked.promise;
    gone.abort(new Error('the caller went away'));
    await expect(sending).rejects.toThrow('went away');
    expect(all.platform.calls).toBe(0);
    await all.expectNothingLeft();
  });

  test('attachments go with the last part of a long text, and belong to the one message', async () => {
    const { bench, folder } = await sender(engine);
    const platform = fakeConnector();
    const { answer } = await sendMessage(
      bench.ports,
      () => platform,
      {
        channel_id: 'local:team',
        text: `${'word '.repeat(30)}end`,
        attachments: [{ path: join(folder, 'note.txt') }],
      },
      { kind: 'bearer', credential: 'bearer', agentId: 'a' },
      null,
      new AbortController().signal,
    );
    expect(platform.delivered.map(({ attachments }) => attachments.length)).toEqual([0, 1]);
    expect((await bench.inbox().message(answer.message_id)).attachments).toHaveLength(1);
  });
});
