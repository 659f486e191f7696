import { systemClock } from '@postern/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Store, withLease } from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';
import { startChild } from './children.ts';

const patience = { timeout: 15_000, interval: 20 };
const retryMs = 50;

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Holds the lease until stopped, and tells how often it has been given and taken. */
function holder(store: Store<unknown>, name = 'connector') {
  const stopping = new AbortController();
  const seen = { held: false, turns: 0 };
  const ended = withLease({ store, name, signal: stopping.signal, retryMs }, async (signal) => {
    seen.held = true;
    seen.turns += 1;
    await untilAborted(signal);
    seen.held = false;
  });
  const stop = (): Promise<void> => {
    stopping.abort();
    return ended;
  };
  return { seen, stop };
}

describeEngines('a lease', (engine) => {
  /** Two that compete: processes on PostgreSQL, two parts of the only process on SQLite. */
  async function rivals(): Promise<[Store<unknown>, Store<unknown>]> {
    const { store, again } = await freshStore<unknown>(engine);
    return [store, engine === 'postgres' ? await again() : store];
  }

  test('is held by one at a time, and goes to the next when it is released', async () => {
    const [store, other] = await rivals();
    const first = holder(store);
    await expect.poll(() => first.seen.held, patience).toBe(true);
    const second = holder(other);
    expect(await other.tryLease('connector')).toBeUndefined();
    expect(second.seen.held).toBe(false);
    await first.stop();
    await expect.poll(() => second.seen.held, patience).toBe(true);
    expect(await store.tryLease('connector')).toBeUndefined();
    await second.stop();
    const free = await store.tryLease('connector');
    expect(free).toBeDefined();
    await free?.release();
    await free?.release();
  });

  test('of another name is another lease', async () => {
    const [store, other] = await rivals();
    const first = holder(store, 'one');
    const second = holder(other, 'two');
    await expect.poll(() => first.seen.held && second.seen.held, patience).toBe(true);
    await Promise.all([first.stop(), second.stop()]);
  });

  test('ends with the work, and tells what went wrong in it', async () => {
    const [store] = await rivals();
    const { signal } = new AbortController();
    await withLease({ store, name: 'connector', signal }, async () => undefined);
    const failing = withLease({ store, name: 'connector', signal }, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    const free = await store.tryLease('connector');
    expect(free).toBeDefined();
    await free?.release();
  });

  test('is lost when the store closes', async () => {
    const [store] = await rivals();
    const first = holder(store);
    await expect.poll(() => first.seen.held, patience).toBe(true);
    await Promise.all([store.close(), first.stop()]);
    expect(first.seen.held).toBe(false);
  });
});

test('a lease is lost with its connection, and asked for again', async () => {
  const { store } = await freshStore<unknown>('postgres');
  const first = holder(store);
  await expect.poll(() => first.seen.held, patience).toBe(true);
  const locked = sql`SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await locked.execute(store.db);
  await expect.poll(() => first.seen, patience).toEqual({ held: true, turns: 2 });
  await first.stop();
});

test('a lease of a killed process is free for the next', async () => {
  const { store, place } = await freshStore<unknown>('postgres', { clock: systemClock });
  const child = startChild('child-lease.ts', ['url' in place ? place.url : '', 'connector']);
  expect(await child.line()).toBe('held');
  const second = holder(store);
  expect(await store.tryLease('connector')).toBeUndefined();
  expect(second.seen.turns).toBe(0);
  await child.kill9();
  await expect.poll(() => second.seen.held, patience).toBe(true);
  await second.stop();
});
