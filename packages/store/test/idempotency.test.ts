import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import {
  beginIdempotent,
  deleteExpiredIdempotency,
  extendIdempotent,
  finishIdempotent,
  giveUpIdempotent,
  type IdempotencyHold,
  IdempotencyLostError,
  markIdempotentStarted,
  markIdempotentStartedIn,
  markIdempotentUnknown,
  reclaimAfterRestart,
  releaseIdempotent,
  type Store,
  type StoreTables,
} from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';

const LEASE_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;

function begin(store: Store<StoreTables>, changes: { scope?: string; key?: string; bodyHash?: string } = {}) {
  return beginIdempotent(store, {
    scope: 'agent',
    key: 'key',
    bodyHash: 'hash',
    leaseMs: LEASE_MS,
    ...changes,
  });
}

async function hold(store: Store<StoreTables>): Promise<IdempotencyHold> {
  const begun = await begin(store);
  if (begun.state !== 'new') throw new Error(`expected new, got ${begun.state}`);
  return begun.hold;
}

function finish(store: Store<StoreTables>, held: IdempotencyHold): Promise<void> {
  return store.transaction((tx) => finishIdempotent(tx, held, { status: 201, body: '{"a":1}' }));
}

const replay = { state: 'replay', status: 201, body: '{"a":1}' };

describeEngines('idempotency keys', (engine) => {
  async function fresh() {
    const clock = fakeClock();
    return { clock, ...(await freshStore(engine, { clock })) };
  }

  test('count as started when the transaction that says so commits, and not before', async () => {
    const { store, clock } = await fresh();
    const rolledBack = await hold(store);
    const failing = store.transaction(async (tx) => {
      await markIdempotentStartedIn(tx, rolledBack, LEASE_MS);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await clock.advance(LEASE_MS + 1);
    const again = await hold(store);
    await store.transaction((tx) => markIdempotentStartedIn(tx, again, LEASE_MS));
    await clock.advance(LEASE_MS + 1);
    expect((await begin(store)).state).toBe('unknown');
  });

  test('given up are forgotten when they were not started, and of unknown outcome when they were', async () => {
    const { store } = await fresh();
    await giveUpIdempotent(store.db, await hold(store));
    const again = await hold(store);
    await markIdempotentStarted(store, again, LEASE_MS);
    await giveUpIdempotent(store.db, again);
    expect((await begin(store)).state).toBe('unknown');
  });

  test('give the answer again that was kept', async () => {
    const { store } = await fresh();
    const held = await hold(store);
    await markIdempotentStarted(store, held, LEASE_MS);
    await finish(store, held);
    expect(await begin(store)).toEqual(replay);
    expect(await begin(store)).toEqual(replay);
  });

  test('tell another body from the same, whatever the state', async () => {
    const { store } = await fresh();
    const held = await hold(store);
    expect(await begin(store, { bodyHash: 'other' })).toEqual({ state: 'conflict' });
    await finish(store, held);
    expect(await begin(store, { bodyHash: 'other' })).toEqual({ state: 'conflict' });
  });

  test('are each caller’s own', async () => {
    const { store } = await fresh();
    await hold(store);
    expect(await begin(store, { scope: 'another' })).toMatchObject({ state: 'new' });
    expect(await begin(store, { key: 'another' })).toMatchObject({ state: 'new' });
  });

  test('let one of many begin', async () => {
    const { store, again } = await fresh();
    const other = await again();
    const begun = await Promise.all(Array.from({ length: 20 }, (_, turn) => begin(turn % 2 ? store : other)));
    const found = begun.map((outcome) => outcome.state).sort();
    expect(found).toEqual(['new', ...Array.from({ length: 19 }, () => 'running')].sort());
    expect(begun).toContainEqual({ state: 'running', retryAfterSeconds: 60 });
  });

  test('let one of many take over from a process that died before its call', async () => {
    const { store, again, clock } = await fresh();
    const other = await again();
    const dead = await hold(store);
    await clock.advance(LEASE_MS);
    const begun = await Promise.all(Array.from({ length: 10 }, (_, turn) => begin(turn % 2 ? store : other)));
    expect(begun.filter((outcome) => outcome.state === 'new')).toHaveLength(1);
    await expect(markIdempotentStarted(store, dead, LEASE_MS)).rejects.toThrow(IdempotencyLostError);
    await expect(finish(store, dead)).rejects.toThrow(IdempotencyLostError);
    await releaseIdempotent(store.db, dead);
    expect(await begin(store)).toMatchObject({ state: 'running' });
  });

  test('are of unknown outcome when the process died in its call, and stay so', async () => {
    const { store, clock } = await fresh();
    const held = await hold(store);
    await clock.advance(LEASE_MS - 1);
    await markIdempotentStarted(store, held, LEASE_MS);
    await clock.advance(LEASE_MS - 1);
    expect(await begin(store)).toEqual({ state: 'running', retryAfterSeconds: 1 });
    await clock.advance(1);
    expect(await begin(store)).toEqual({ state: 'unknown' });
    expect(await begin(store)).toEqual({ state: 'unknown' });
    expect(await begin(store, { bodyHash: 'other' })).toEqual({ state: 'conflict' });
  });

  test('stay held for as long as their holder prolongs them, before the call and in it', async () => {
    const { store, clock } = await fresh();
    const held = await hold(store);
    await clock.advance(LEASE_MS - 1);
    expect(await extendIdempotent(store.db, held, LEASE_MS)).toBe(true);
    await clock.advance(LEASE_MS - 1);
    expect(await begin(store)).toEqual({ state: 'running', retryAfterSeconds: 1 });
    await markIdempotentStarted(store, held, LEASE_MS);
    await clock.advance(LEASE_MS - 1);
    expect(await extendIdempotent(store.db, held, LEASE_MS)).toBe(true);
    await clock.advance(LEASE_MS - 1);
    expect(await begin(store)).toEqual({ state: 'running', retryAfterSeconds: 1 });
    await finish(store, held);
    expect(await extendIdempotent(store.db, held, LEASE_MS)).toBe(false);
  });

  test('that others have taken over, or found unknown, are not prolonged', async () => {
    const { store, clock } = await fresh();
    const dead = await hold(store);
    await clock.advance(LEASE_MS);
    const held = await hold(store);
    expect(await extendIdempotent(store.db, dead, LEASE_MS)).toBe(false);
    await markIdempotentStarted(store, held, LEASE_MS);
    await clock.advance(LEASE_MS);
    expect(await begin(store)).toEqual({ state: 'unknown' });
    expect(await extendIdempotent(store.db, held, LEASE_MS)).toBe(false);
  });

  test('are settled after all by a call that was only slow', async () => {
    const { store, clock } = await fresh();
    const held = await hold(store);
    await markIdempotentStarted(store, held, LEASE_MS);
    await clock.advance(LEASE_MS);
    expect(await begin(store)).toEqual({ state: 'unknown' });
    await finish(store, held);
    expect(await begin(store)).toEqual(replay);
  });

  test('may be left as unknown by the holder', async () => {
    const { store } = await fresh();
    const held = await hold(store);
    await markIdempotentStarted(store, held, LEASE_MS);
    await markIdempotentUnknown(store.db, held);
    expect(await begin(store)).toEqual({ state: 'unknown' });
  });

  test('are forgotten when the request failed before its call', async () => {
    const { store } = await fresh();
    await releaseIdempotent(store.db, await hold(store));
    expect(await begin(store, { bodyHash: 'other' })).toMatchObject({ state: 'new' });
  });

  test('do not survive a transaction that was rolled back', async () => {
    const { store } = await fresh();
    const held = await hold(store);
    const failing = store.transaction(async (tx) => {
      await finishIdempotent(tx, held, { status: 200, body: '' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await begin(store)).toMatchObject({ state: 'running' });
  });

  test('are remembered for a day', async () => {
    const { store, clock } = await fresh();
    await finish(store, await hold(store));
    await clock.advance(DAY_MS - 1);
    expect(await deleteExpiredIdempotency(store)).toBe(0);
    expect(await begin(store)).toEqual(replay);
    await clock.advance(1);
    expect(await begin(store, { bodyHash: 'other' })).toMatchObject({ state: 'new' });
    await clock.advance(DAY_MS);
    expect(await deleteExpiredIdempotency(store)).toBe(1);
  });

  test('after a restart, wait for leases only where others may be alive', async () => {
    const { store } = await fresh();
    const started = await hold(store);
    await markIdempotentStarted(store, started, LEASE_MS);
    await begin(store, { key: 'not started' });
    await reclaimAfterRestart(store);
    const alone = engine === 'sqlite';
    expect((await begin(store)).state).toBe(alone ? 'unknown' : 'running');
    expect((await begin(store, { key: 'not started' })).state).toBe(alone ? 'new' : 'running');
  });
});
