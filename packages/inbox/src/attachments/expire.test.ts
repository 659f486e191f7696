import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inboundFile, inboxBench, messageEvent } from '../testing/index.ts';
import { expireAttachments } from './expire.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

/** Two messages with a file each, which is kept for two days; the first is older than that. */
async function withFiles(engine: 'sqlite' | 'postgres') {
  const bench = await inboxBench(engine, { config: { attachments: { retentionDays: 2 } } });
  await bench.allow('ana');
  await bench.accept(messageEvent({ platformId: 'first', attachments: [inboundFile('a', 'first')] }));
  await bench.clock.advance(49 * HOUR_MS);
  await bench.accept(messageEvent({ platformId: 'second', attachments: [inboundFile('b', 'second')] }));
  const inbox = bench.inbox();
  const attachmentOf = async (platformId: string) => {
    const { attachments } = await inbox.message((await bench.stored(platformId)).message_id);
    return attachments[0]?.id ?? '';
  };
  const open = async (platformId: string) =>
    inbox.attachment(await attachmentOf(platformId), { quarantined: true, range: undefined });
  return { bench, inbox, open };
}

describeEngines('the bytes of an attachment whose time is up', (engine) => {
  test('are let go by themselves, also when they turn old while the process runs; the message still tells of them', async () => {
    const { bench, inbox, open } = await withFiles(engine);
    onTestFinished(() => inbox.stop());
    inbox.start();
    while ((await bench.keptBlobs()) > 1) await new Promise((resolve) => setImmediate(resolve));
    await expect(open('first')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await open('second')).toMatchObject({ status: 200 });
    // In one leap, or all that sleeps would wake many thousand times on the way.
    bench.clock.set(bench.clock.nowMicroseconds() + 49 * HOUR_MS * 1_000);
    while ((await bench.keptBlobs()) > 0) await bench.clock.advance(1_000);
    await expect(open('second')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('are found again after a crash that left only their row', async () => {
    const { bench, open } = await withFiles(engine);
    const { ports, clock } = bench;
    const failing = { ...ports.store, db: ports.store.db.withTables() };
    Object.defineProperty(failing.db, 'updateTable', {
      value: () => {
        throw new Error('killed');
      },
    });
    const later = clock.nowMicroseconds() + 1;
    await expect(expireAttachments({ ...ports, store: failing }, later, never)).rejects.toThrow('killed');
    await expect(open('first')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await bench.keptBlobs()).toBe(1);
    await expireAttachments(ports, later, never);
    expect(await bench.keptBlobs()).toBe(0);
    const rows = await ports.store.db.selectFrom('inbox_attachments').select('available').execute();
    expect(rows.map(({ available }) => available)).toEqual([0, 0]);
  });
});
