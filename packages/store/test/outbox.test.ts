import { DatabaseSync } from 'node:sqlite';
import { fakeClock } from '@postern/kit/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  buryJob,
  claimJobs,
  completeJob,
  deleteFinishedJobs,
  enqueue,
  findJob,
  giveJobBack,
  listJobs,
  type NewJob,
  reclaimAfterRestart,
  retryJobLater,
  reviveJob,
  type Store,
  type StoreTables,
} from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';

const MINUTE_MS = 60_000;

function put(store: Store<StoreTables>, ...jobs: Partial<NewJob>[]): Promise<(number | undefined)[]> {
  return store.transaction(async (tx) => {
    const ids: (number | undefined)[] = [];
    for (const job of jobs) ids.push(await enqueue(tx, { topic: 'mail', payload: '{}', ...job }));
    return ids;
  });
}

describeEngines('the outbox', (engine) => {
  async function fresh() {
    const clock = fakeClock();
    return { clock, ...(await freshStore(engine, { clock })) };
  }
  const take = (store: Store<StoreTables>, limit = 10) =>
    claimJobs(store, 'mail', { limit, leaseMs: MINUTE_MS });

  test('keeps jobs of committed transactions only', async () => {
    const { store } = await fresh();
    await put(store, { payload: 'kept' });
    const refused = store.transaction(async (tx) => {
      await enqueue(tx, { topic: 'mail', payload: 'lost' });
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect((await take(store)).map((job) => job.payload)).toEqual(['kept']);
  });

  test('gives jobs out oldest first, by topic, and not before their time', async () => {
    const { store, clock } = await fresh();
    const now = clock.nowMicroseconds();
    await put(
      store,
      { payload: 'later', runAtUs: now + 1_000_000 },
      { payload: 'first' },
      { payload: 'second' },
      { topic: 'other' },
    );
    expect((await take(store, 1)).map((job) => job.payload)).toEqual(['first']);
    expect((await take(store)).map((job) => job.payload)).toEqual(['second']);
    await clock.advance(1_000);
    expect(await take(store)).toMatchObject([{ payload: 'later', attempts: 1, state: 'claimed' }]);
  });

  test('never gives one job to two workers', async () => {
    const { store, again } = await fresh();
    const other = await again();
    await put(store, ...Array.from({ length: 60 }, () => ({})));
    const claims = Array.from({ length: 20 }, (_, turn) =>
      claimJobs(turn % 2 ? store : other, 'mail', { limit: 3, leaseMs: MINUTE_MS }),
    );
    const ids = (await Promise.all(claims)).flat().map((job) => job.id);
    const rest = (await take(store, 60)).map((job) => job.id);
    expect(new Set([...ids, ...rest]).size).toBe(60);
    expect(ids.length + rest.length).toBe(60);
  });

  test('gives a job out again when its lease has run out, and then only the new worker settles it', async () => {
    const { store, clock } = await fresh();
    await put(store, {});
    const [early] = await take(store);
    expect(await take(store)).toEqual([]);
    await clock.advance(MINUTE_MS);
    const [late] = await take(store);
    expect(late).toMatchObject({ id: early!.id, attempts: 2 });
    expect(await completeJob(store.db, early!)).toBe(false);
    expect(await retryJobLater(store.db, early!, 0, { error: 'late' })).toBe(false);
    expect(await completeJob(store.db, late!, 200)).toBe(true);
    expect(await findJob(store.db, late!.id)).toMatchObject({ state: 'done', lastStatus: 200 });
  });

  test('puts one job in for a key, also when many try at once', async () => {
    const { store, again } = await fresh();
    const other = await again();
    const puts = Array.from({ length: 10 }, (_, turn) => put(turn % 2 ? store : other, { key: 'welcome' }));
    const ids = (await Promise.all(puts)).flat();
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
    expect(await put(store, { key: 'welcome', topic: 'other' }, { key: 'bye' })).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  test('tries again later, with what went wrong on record', async () => {
    const { store, clock } = await fresh();
    await put(store, {});
    const [job] = await take(store);
    const later = clock.nowMicroseconds() + 5_000_000;
    expect(await retryJobLater(store.db, job!, later, { error: 'HTTP 503', status: 503 })).toBe(true);
    expect(await take(store)).toEqual([]);
    expect(await findJob(store.db, job!.id)).toMatchObject({
      state: 'pending',
      lastError: 'HTTP 503',
      lastStatus: 503,
    });
    await clock.advance(5_000);
    expect(await take(store)).toMatchObject([{ id: job!.id, attempts: 2 }]);
  });

  test('keeps the dead until they are revived', async () => {
    const { store } = await fresh();
    await put(store, {});
    const [job] = await take(store);
    await buryJob(store.db, job!, { error: 'gone', status: 410 });
    expect(await take(store)).toEqual([]);
    expect(await listJobs(store.db, { topic: 'mail', states: ['dead'], limit: 5 })).toMatchObject([
      { id: job!.id },
    ]);
    expect(await reviveJob(store.db, job!.id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await reviveJob(store.db, job!.id)).toBeUndefined();
    expect(await take(store)).toMatchObject([{ id: job!.id, attempts: 1 }]);
  });

  test('takes back a job that was not begun', async () => {
    const { store } = await fresh();
    await put(store, {});
    const [job] = await take(store);
    expect(await giveJobBack(store.db, job!)).toBe(true);
    const [again] = await take(store);
    expect(again).toMatchObject({ id: job!.id, attempts: 1 });
    expect(await completeJob(store.db, job!)).toBe(false);
    expect(await completeJob(store.db, again!)).toBe(true);
  });

  test('lists page by page, newest first', async () => {
    const { store } = await fresh();
    const ids = await put(store, {}, {}, {}, { topic: 'other' });
    const first = await listJobs(store.db, { topic: 'mail', limit: 2 });
    expect(first.map((job) => job.id)).toEqual([ids[2], ids[1]]);
    const rest = await listJobs(store.db, { topic: 'mail', limit: 2, before: first[1]!.id });
    expect(rest.map((job) => job.id)).toEqual([ids[0]]);
  });

  test('forgets what was finished long ago, a bounded number at a time', async () => {
    const { store, clock } = await fresh();
    await put(store, {}, {}, {}, {});
    for (const job of await take(store, 3)) await completeJob(store.db, job);
    await clock.advance(MINUTE_MS);
    const beforeUs = clock.nowMicroseconds();
    expect(await deleteFinishedJobs(store.db, { beforeUs, limit: 2 })).toBe(2);
    expect(await deleteFinishedJobs(store.db, { beforeUs, limit: 2 })).toBe(1);
    expect(await listJobs(store.db, { topic: 'mail', limit: 9 })).toMatchObject([{ state: 'pending' }]);
  });

  test('after a restart, waits for leases only where others may be alive', async () => {
    const { store } = await fresh();
    await put(store, {});
    await take(store);
    await reclaimAfterRestart(store);
    expect(await take(store)).toHaveLength(engine === 'sqlite' ? 1 : 0);
  });

  test('refuses a topic that is not a name', async () => {
    const { store } = await fresh();
    await expect(put(store, { topic: 'No topic' })).rejects.toThrow(RangeError);
  });
});

test('to see that no job is due waits for nobody who writes', async () => {
  const { store, place } = await freshStore<StoreTables>('sqlite');
  if (!('file' in place)) throw new Error('this engine has one writer at a time');
  const writer = new DatabaseSync(place.file);
  onTestFinished(() => writer.close());
  writer.exec('BEGIN IMMEDIATE');
  expect(await claimJobs(store, 'mail', { limit: 10, leaseMs: 1_000 })).toEqual([]);
});
