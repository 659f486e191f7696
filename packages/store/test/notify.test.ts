import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Store } from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';

/** What a channel brought, without the empty wake-ups that only mean "look again". */
function heardOn(store: Store<never>, channel: string): { readonly payloads: string[]; stop(): void } {
  const payloads: string[] = [];
  const stop = store.listen(channel, (payload) => {
    if (payload !== '') payloads.push(payload);
  });
  return { payloads, stop };
}

const patience = { timeout: 15_000, interval: 20 };

describeEngines('notifications', (engine) => {
  test('reach every listener of the channel in every process', async () => {
    const { store, again } = await freshStore<never>(engine);
    // The only process on an SQLite file has but one store.
    const listening = engine === 'postgres' ? [store, await again()] : [store, store];
    const heard = listening.map((one) => heardOn(one, 'news'));
    const elsewhere = heardOn(store, 'other_news');
    await expect
      .poll(() => {
        store.notify('news', 'hello');
        return heard.every(({ payloads }) => payloads.includes('hello'));
      }, patience)
      .toBe(true);
    expect(elsewhere.payloads).toEqual([]);
  });

  test('go out after the commit, and not after a rollback', async () => {
    const { store } = await freshStore<never>(engine);
    const { payloads } = heardOn(store, 'news');
    await expect
      .poll(() => {
        store.notify('news', 'listening');
        return payloads.includes('listening');
      }, patience)
      .toBe(true);
    await store
      .transaction(async () => {
        store.notify('news', 'rolled back');
        throw new Error('no');
      })
      .catch(() => undefined);
    await store.transaction(async (tx) => {
      store.notify('news', 'kept');
      await sql`SELECT 1`.execute(tx);
      expect(payloads).not.toContain('kept');
    });
    await expect.poll(() => payloads.includes('kept'), patience).toBe(true);
    expect(payloads).not.toContain('rolled back');
  });

  test('may use the store from the listener, whoever notified', async () => {
    const { store } = await freshStore(engine);
    const rows: unknown[] = [];
    store.listen('news', () => {
      void store.db
        .selectFrom('settings')
        .select('value')
        .execute()
        .then((found) => rows.push(...found));
    });
    await expect
      .poll(async () => {
        await store.transaction(async (tx) => {
          const row = { key: 'a', value: 'b' };
          await tx
            .insertInto('settings')
            .values(row)
            .onConflict((conflict) => conflict.doNothing())
            .execute();
          store.notify('news', 'x');
        });
        return rows.length > 0;
      }, patience)
      .toBe(true);
  });

  test('stop when the listener does, and a failing listener harms nobody', async () => {
    const warnings: string[] = [];
    const log = { warn: (_: object, message: string) => void warnings.push(message) };
    const { store } = await freshStore<never>(engine, { log });
    store.listen('news', () => {
      throw new Error('broken');
    });
    const stopped = heardOn(store, 'news');
    stopped.stop();
    const { payloads } = heardOn(store, 'news');
    await expect
      .poll(() => {
        store.notify('news', 'hello');
        return payloads.includes('hello');
      }, patience)
      .toBe(true);
    expect(stopped.payloads).toEqual([]);
    expect(warnings).toContain('a listener failed');
  });

  test('are refused when they would not fit', async () => {
    const { store } = await freshStore<never>(engine);
    expect(() => store.notify('No Channel')).toThrow(RangeError);
    expect(() => store.notify('news', 'x'.repeat(7_001))).toThrow(RangeError);
    expect(() => store.listen('1', () => undefined)).toThrow(RangeError);
  });
});

test('listening goes on by itself after the server has ended the connection', async () => {
  const { store } = await freshStore<never>('postgres');
  const heard = heardOn(store, 'news');
  let wakeUps = 0;
  store.listen('news', (payload) => {
    if (payload === '') wakeUps += 1;
  });
  await expect
    .poll(() => {
      store.notify('news', 'before');
      return heard.payloads.includes('before');
    }, patience)
    .toBe(true);
  const wakeUpsBefore = wakeUps;
  const listener = sql<{ ended: boolean }>`
    SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')`;
  const { rows } = await listener.execute(store.db);
  expect(rows).toEqual([{ ended: true }]);
  // Something may have been missed, so everybody is told to look.
  await expect.poll(() => wakeUps, patience).toBeGreaterThan(wakeUpsBefore);
  await expect
    .poll(() => {
      store.notify('news', 'after');
      return heard.payloads.includes('after');
    }, patience)
    .toBe(true);
});
