import { fakeClock } from '@postern/kit/testing';
import { claimJobs, completeJob, databaseBlobs, enqueue, listJobs, type StoreTables } from '@postern/store';
import { describeEngines, freshStore } from '@postern/store/testing';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHousekeeping } from './housekeeping.ts';

const DAY_MS = 24 * 3_600_000;

describeEngines('housekeeping', (engine) => {
  test('takes away what was done long ago and what no writer finished, and nothing else', async () => {
    const clock = fakeClock();
    const { store } = await freshStore<StoreTables>(engine, { clock });
    onTestFinished(() => store.close());
    for (const payload of ['done', 'waits']) {
      await store.transaction((tx) => enqueue(tx, { topic: 'thing', payload }));
    }
    for (const job of await claimJobs(store, 'thing', { limit: 1, leaseMs: 1_000 }))
      await completeJob(store.db, job);
    const blobs = databaseBlobs(store);
    async function* neverWhole() {
      yield Buffer.from('half');
      await new Promise(() => {});
    }
    void blobs.put('half', neverWhole()).catch(() => {});
    await blobs.put('whole', Buffer.from('whole'));
    const uploads = () => store.db.selectFrom('blobs').select('blob_id').orderBy('blob_id').execute();
    while ((await uploads()).length < 2) await new Promise((resolve) => setImmediate(resolve));
    const jobs = async () =>
      (await listJobs(store.db, { topic: 'thing', limit: 9 })).map(({ payload }) => payload);

    const rounds: object[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void rounds.push(JSON.parse(line)) });
    const stop = startHousekeeping({ store, blobs, clock, log });
    onTestFinished(stop);
    while (rounds.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect([await jobs(), await uploads()]).toEqual([
      ['waits', 'done'],
      [{ blob_id: 'half' }, { blob_id: 'whole' }],
    ]);
    clock.set(clock.nowMicroseconds() + 91 * DAY_MS * 1_000);
    while (rounds.length < 2) await clock.advance(1);
    expect([await jobs(), await uploads()]).toEqual([['waits'], [{ blob_id: 'whole' }]]);
  });
});
