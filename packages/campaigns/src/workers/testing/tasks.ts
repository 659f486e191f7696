import { problem } from '@postern/http';
import { workerTask } from '../task.ts';

/** Tasks for the pool's test. */

export const sumTask = workerTask(import.meta.url, 'sumTask', async (_ports, numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0),
);

/** Writes a setting, and wakes whoever listens for progress. */
export const writeTask = workerTask(import.meta.url, 'writeTask', async ({ store }, key: string) => {
  await store.transaction(async (tx) => {
    await tx.insertInto('settings').values({ key, value: 'by a thread' }).execute();
  });
  store.notify('mail_progress', key);
});

export const refuseTask = workerTask(import.meta.url, 'refuseTask', async (_ports, message: string) => {
  throw problem('storage_timeout', message, { violations: [{ field: 'a', code: 'b', message: 'c' }] });
});

export const waitTask = workerTask(
  import.meta.url,
  'waitTask',
  (_ports, _input: null, signal) =>
    new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('told to stop'))),
);

/** Waits for a wake-up that the process sends down. */
export const hearTask = workerTask(import.meta.url, 'hearTask', async ({ store }, _input: null) => {
  const heard = new Promise<string>((resolve) => {
    // An empty one only says that some may have been missed.
    store.listen('mail_engine', (payload) => payload !== '' && resolve(payload));
  });
  store.notify('mail_progress', 'listening');
  return heard;
});

export const dieTask = workerTask(import.meta.url, 'dieTask', async (_ports, _input: null) => {
  process.exit(3);
});
