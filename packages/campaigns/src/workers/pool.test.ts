import { Failure } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import { WorkerPool } from './pool.ts';
import { runInWorker, WorkerLostError } from './task.ts';
import { dieTask, hearTask, refuseTask, sumTask, waitTask, writeTask } from './testing/tasks.ts';

describeEngines('worker threads', (engine) => {
  async function pool(threads: number) {
    const { ports } = await campaignsBench(engine);
    const workers = new WorkerPool(ports, { threads });
    onTestFinished(() => workers.close());
    return { ports: { ...ports, workers }, workers };
  }

  test('run tasks, more of them than there are threads', async () => {
    const { ports } = await pool(2);
    const sums = await Promise.all([1, 2, 3, 4, 5].map((number) => runInWorker(ports, sumTask, [number, 1])));
    expect(sums).toEqual([2, 3, 4, 5, 6]);
  });

  test('write to the same database, and wake the process', async () => {
    const { ports } = await pool(1);
    const woken = new Promise<string>((resolve) => {
      ports.store.listen('mail_progress', (payload) => payload !== '' && resolve(payload));
    });
    await runInWorker(ports, writeTask, 'key');
    expect(
      await ports.store.db.selectFrom('settings').selectAll().where('key', '=', 'key').execute(),
    ).toEqual([{ key: 'key', value: 'by a thread' }]);
    expect(await woken).toBe('key');
  });

  // PostgreSQL carries notifications itself.
  test.runIf(engine === 'sqlite')('hear what the process tells', async () => {
    const { ports } = await pool(1);
    ports.store.listen(
      'mail_progress',
      (payload) => payload !== '' && ports.store.notify('mail_engine', 'wake up'),
    );
    expect(await runInWorker(ports, hearTask, null)).toBe('wake up');
  });

  test('pass failures on as they are', async () => {
    const { ports } = await pool(1);
    const error = await runInWorker(ports, refuseTask, 'too slow').catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({
      code: 'storage_timeout',
      status: 503,
      message: 'too slow',
      violations: [{ field: 'a', code: 'b', message: 'c' }],
    });
  });

  test('are told when the caller has lost interest', async () => {
    const { ports } = await pool(1);
    await runInWorker(ports, sumTask, [1]);
    const abort = new AbortController();
    const waiting = runInWorker(ports, waitTask, null, abort.signal);
    abort.abort();
    expect(await waiting).toBe('told to stop');
  });

  test('are replaced when they die, and only their own task fails', async () => {
    const { ports } = await pool(1);
    const dying = runInWorker(ports, dieTask, null);
    const next = runInWorker(ports, sumTask, [1, 2]);
    await expect(dying).rejects.toBeInstanceOf(WorkerLostError);
    expect(await next).toBe(3);
  });

  test('are given up while they are still starting, and others take their place', async () => {
    const { ports } = await pool(1);
    const abort = new AbortController();
    const given = runInWorker(ports, waitTask, null, abort.signal);
    const next = runInWorker(ports, sumTask, [1, 2]);
    abort.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    expect(await next).toBe(3);
  });

  test('that are still starting hold up no closing', async () => {
    const { ports, workers } = await pool(1);
    const given = runInWorker(ports, waitTask, null).catch((error: unknown) => error);
    await workers.close();
    expect(await given).toBeInstanceOf(WorkerLostError);
  });

  test('finish what they can when the pool closes, and take nothing more', async () => {
    const { ports, workers } = await pool(1);
    await runInWorker(ports, sumTask, [1]);
    const waiting = runInWorker(ports, waitTask, null);
    const behind = runInWorker(ports, sumTask, [1]);
    const [, refused] = await Promise.all([workers.close(), behind.catch((error: unknown) => error)]);
    expect(await waiting).toBe('told to stop');
    expect(refused).toBeInstanceOf(WorkerLostError);
    await expect(runInWorker(ports, sumTask, [1])).rejects.toBeInstanceOf(WorkerLostError);
  });
});

test('without threads a task runs in place', async () => {
  const { ports } = await campaignsBench('sqlite');
  expect(await runInWorker(ports, sumTask, [4, 5])).toBe(9);
});
