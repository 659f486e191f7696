import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import { deleteFullBuckets, getOrCreateSetting, takeTokens } from '../src/index.ts';
import { describeEngines, freshStore } from '../src/testing/index.ts';

describeEngines('token buckets', (engine) => {
  async function fresh() {
    const clock = fakeClock();
    return { clock, ...(await freshStore(engine, { clock })) };
  }
  const bucket = { name: 'send:a', perSecond: 1, burst: 5 };

  test('allow a burst, then the rate', async () => {
    const { store, clock } = await fresh();
    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining });
    }
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: false, retryAfterSeconds: 1 });
    await clock.advance(999);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: false, retryAfterSeconds: 1 });
    await clock.advance(1);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining: 0 });
    await clock.advance(3_600_000);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining: 4 });
  });

  test('never give more than there is to many takers at once', async () => {
    const { store, again } = await fresh();
    const other = await again();
    const takes = Array.from({ length: 40 }, (_, turn) => takeTokens((turn % 2 ? store : other).db, bucket));
    const taken = (await Promise.all(takes)).filter((one) => one.ok);
    expect(taken).toHaveLength(5);
  });

  test('take all of a cost or none of it', async () => {
    const { store } = await fresh();
    expect(await takeTokens(store.db, bucket, 3)).toEqual({ ok: true, remaining: 2 });
    expect(await takeTokens(store.db, bucket, 4)).toEqual({ ok: false, retryAfterSeconds: 2 });
    expect(await takeTokens(store.db, bucket, 2)).toEqual({ ok: true, remaining: 0 });
  });

  test('fill slowly or fast as told', async () => {
    const { store, clock } = await fresh();
    const slow = { name: 'slow', perSecond: 1 / 60, burst: 1 };
    expect(await takeTokens(store.db, slow)).toEqual({ ok: true, remaining: 0 });
    expect(await takeTokens(store.db, slow)).toEqual({ ok: false, retryAfterSeconds: 60 });
    const third = { name: 'third', perSecond: 3, burst: 3 };
    for (let count = 0; count < 3; count += 1) expect((await takeTokens(store.db, third)).ok).toBe(true);
    expect((await takeTokens(store.db, third)).ok).toBe(false);
    await clock.advance(334);
    expect((await takeTokens(store.db, third)).ok).toBe(true);
    expect((await takeTokens(store.db, third)).ok).toBe(false);
  });

  test('belong to the transaction they are taken in', async () => {
    const { store } = await fresh();
    const refused = store.transaction(async (tx) => {
      await takeTokens(tx, bucket, 5);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await takeTokens(store.db, bucket, 5)).toEqual({ ok: true, remaining: 0 });
  });

  test('do not lock up when the clock is set back', async () => {
    const { store, clock } = await fresh();
    await takeTokens(store.db, bucket, 5);
    clock.set(clock.nowMicroseconds() - 86_400_000_000);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: false, retryAfterSeconds: 1 });
    await clock.advance(2_000);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining: 1 });
  });

  test('may be lowered and raised at any time', async () => {
    const { store, clock } = await fresh();
    await takeTokens(store.db, { ...bucket, burst: 100 }, 100);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: false, retryAfterSeconds: 1 });
    await clock.advance(1_000);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining: 0 });
    expect(await takeTokens(store.db, { ...bucket, burst: 10 })).toMatchObject({ ok: true });
  });

  test('are forgotten when they are full', async () => {
    const { store, clock } = await fresh();
    await takeTokens(store.db, bucket);
    expect(await deleteFullBuckets(store.db)).toBe(0);
    await clock.advance(1_000);
    expect(await deleteFullBuckets(store.db)).toBe(1);
    expect(await takeTokens(store.db, bucket)).toEqual({ ok: true, remaining: 4 });
  });

  test('refuse what could never be taken', async () => {
    const { store } = await fresh();
    await expect(takeTokens(store.db, bucket, 6)).rejects.toThrow(RangeError);
    await expect(takeTokens(store.db, bucket, 0)).rejects.toThrow(RangeError);
    await expect(takeTokens(store.db, { ...bucket, perSecond: 0 })).rejects.toThrow(RangeError);
  });
});

describeEngines('a setting', (engine) => {
  test('is made once, and all who make it at the same time get the same', async () => {
    const { store, again } = await freshStore(engine);
    const other = await again();
    const values = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        getOrCreateSetting(turn % 2 ? store : other, 'secret', () => `made by ${turn}`),
      ),
    );
    expect(new Set(values).size).toBe(1);
    expect(await getOrCreateSetting(store, 'secret', () => 'too late')).toBe(values[0]);
  });
});
