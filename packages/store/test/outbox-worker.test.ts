import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import {
  enqueue,
  type Job,
  type JobOutcome,
  listJobs,
  type OutboxWorkerOptions,
  runOutbox,
  type Store,
  type StoreTables,
} from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';

const patience = { timeout: 15_000, interval: 10 };
const done: JobOutcome = { result: 'done' };

function put(store: Store<StoreTables>, payload = 'job', runAtUs?: number): Promise<number | undefined> {
  return store.transaction((tx) => enqueue(tx, { topic: 'mail', payload, runAtUs }));
}

async function states(store: Store<StoreTables>): Promise<string[]> {
  const jobs = await listJobs(store.db, { topic: 'mail', limit: 100 });
  return jobs.map((job) => job.state).reverse();
}

describeEngines('an outbox worker', (engine) => {
  async function fresh() {
    const clock = fakeClock();
    return { clock, ...(await freshStore(engine, { clock })) };
  }

  /** A worker that runs until the test stops it. */
  function start(
    store: Store<StoreTables>,
    handle: (job: Job, signal: AbortSignal) => Promise<JobOutcome>,
    options: Partial<OutboxWorkerOptions> = {},
  ) {
    const stopping = new AbortController();
    const ended = runOutbox({ store, topic: 'mail', handle, signal: stopping.signal, ...options });
    const stop = (): Promise<void> => {
      stopping.abort();
      return ended;
    };
    return { stop };
  }

  test('does what is there, and is woken by what comes', async () => {
    const { store } = await fresh();
    await put(store, 'one');
    const seen: string[] = [];
    const worker = start(store, async (job) => {
      seen.push(job.payload);
      return { result: 'done', status: 204 };
    });
    await expect.poll(() => seen, patience).toEqual(['one']);
    // The clock stands still, so nothing but the wake-up can bring it.
    await put(store, 'two');
    await expect.poll(() => states(store), patience).toEqual(['done', 'done']);
    expect(seen).toEqual(['one', 'two']);
    await worker.stop();
  });

  test('waits for the time of a job', async () => {
    const { store, clock } = await fresh();
    await put(store, 'later', clock.nowMicroseconds() + 3_000_000);
    const seen: string[] = [];
    const worker = start(store, async (job) => {
      seen.push(job.payload);
      return done;
    });
    await clock.untilSleeping(2);
    expect(seen).toEqual([]);
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return seen;
      }, patience)
      .toEqual(['later']);
    await worker.stop();
  });

  test('works on no more jobs at a time than it may', async () => {
    const { store } = await fresh();
    for (let count = 0; count < 7; count += 1) await put(store);
    let running = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const worker = start(
      store,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => gates.push(resolve));
        running -= 1;
        return done;
      },
      { concurrency: 2 },
    );
    await expect
      .poll(async () => {
        gates.shift()?.();
        return (await states(store)).filter((state) => state === 'done').length;
      }, patience)
      .toBe(7);
    expect(most).toBe(2);
    await worker.stop();
  });

  test('shares the work with others without doing a job twice', async () => {
    const { store, again } = await fresh();
    const other = await again();
    for (let count = 0; count < 30; count += 1) await put(store);
    const seen: number[] = [];
    const handle = async (job: Job) => {
      seen.push(job.id);
      return done;
    };
    const workers = [start(store, handle), start(other, handle)];
    await expect
      .poll(async () => (await states(store)).every((state) => state === 'done'), patience)
      .toBe(true);
    expect(seen).toHaveLength(30);
    expect(new Set(seen).size).toBe(30);
    for (const worker of workers) await worker.stop();
  });

  test('tries again what failed, as the handler says or with growing pauses, and buries it at last', async () => {
    const { store, clock } = await fresh();
    await put(store);
    const attempts: number[] = [];
    const worker = start(
      store,
      async (job) => {
        attempts.push(job.attempts);
        if (job.attempts === 1) return { result: 'retry', afterMs: 2_000, error: 'HTTP 503', status: 503 };
        throw new Error('broken');
      },
      { maxAttempts: 3 },
    );
    await expect
      .poll(async () => {
        await clock.advance(500);
        return states(store);
      }, patience)
      .toEqual(['dead']);
    expect(attempts).toEqual([1, 2, 3]);
    expect(await listJobs(store.db, { topic: 'mail', limit: 1 })).toMatchObject([
      { lastError: 'broken', lastStatus: null },
    ]);
    await worker.stop();
  });

  test('buries a job that takes its worker down every time', async () => {
    const { store } = await fresh();
    await put(store);
    await store.db.updateTable('outbox').set({ attempts: 3 }).execute();
    let handled = 0;
    const worker = start(
      store,
      async () => {
        handled += 1;
        return done;
      },
      { maxAttempts: 3 },
    );
    await expect.poll(() => states(store), patience).toEqual(['dead']);
    expect(handled).toBe(0);
    await worker.stop();
  });

  test('keeps its lease while a job takes long, and lets go of one it has lost', async () => {
    const { store, clock } = await fresh();
    await put(store);
    let jobSignal: AbortSignal | undefined;
    const worker = start(
      store,
      async (_, signal) => {
        jobSignal = signal;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return done;
      },
      { leaseMs: 30_000, graceMs: 0 },
    );
    await expect.poll(() => jobSignal !== undefined, patience).toBe(true);
    const lease = async () =>
      (await store.db.selectFrom('outbox').select('lease_until_us').executeTakeFirst())?.lease_until_us;
    const before = (await lease()) ?? 0;
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return (await lease()) ?? 0;
      }, patience)
      .toBeGreaterThan(before);
    expect(jobSignal?.aborted).toBe(false);
    await store.db
      .updateTable('outbox')
      .set((build) => ({ claims: build('claims', '+', 1) }))
      .execute();
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return jobSignal?.aborted;
      }, patience)
      .toBe(true);
    await worker.stop();
    expect(await states(store)).toEqual(['claimed']);
  });

  test('told to stop, finishes what it has begun and takes nothing new', async () => {
    const { store } = await fresh();
    await put(store, 'begun');
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const worker = start(
      store,
      async () => {
        begun.resolve();
        await finish.promise;
        return done;
      },
      { concurrency: 1 },
    );
    await begun.promise;
    await put(store, 'waiting');
    const stopped = worker.stop();
    finish.resolve();
    await stopped;
    expect(await states(store)).toEqual(['done', 'pending']);
  });

  test('told to stop, gives back what takes too long', async () => {
    const { store } = await fresh();
    await put(store);
    const begun = Promise.withResolvers<AbortSignal>();
    const worker = start(
      store,
      async (_, signal) => {
        begun.resolve(signal);
        return new Promise<JobOutcome>(() => undefined);
      },
      { graceMs: 10 },
    );
    const signal = await begun.promise;
    await worker.stop();
    expect(signal.aborted).toBe(true);
    expect(await listJobs(store.db, { topic: 'mail', limit: 1 })).toMatchObject([
      { state: 'pending', attempts: 0 },
    ]);
  });

  test('leaves alone a job that its handler has settled', async () => {
    const { store } = await fresh();
    await put(store);
    const worker = start(store, async (job) => {
      await store.transaction(async (tx) => {
        await tx
          .updateTable('outbox')
          .set({ state: 'done', last_error: 'by hand' })
          .where('id', '=', job.id)
          .execute();
      });
      return { result: 'settled' };
    });
    await expect.poll(() => states(store), patience).toEqual(['done']);
    await worker.stop();
    expect(await listJobs(store.db, { topic: 'mail', limit: 1 })).toMatchObject([{ lastError: 'by hand' }]);
  });
});
