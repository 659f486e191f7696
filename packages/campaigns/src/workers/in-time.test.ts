import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import { runInTime } from './in-time.ts';
import { sumTask, waitTask } from './testing/tasks.ts';

const never = () => new AbortController().signal;

test('what is done in time is answered', async () => {
  const { ports } = await campaignsBench('sqlite');
  expect(await runInTime(ports, sumTask, [2, 3], never())).toBe(5);
});

test('what takes too long is a storage timeout', async () => {
  const { ports } = await campaignsBench('sqlite');
  await expect(runInTime(ports, waitTask, null, never(), 1)).rejects.toMatchObject({
    code: 'storage_timeout',
  });
});

test('a caller who goes away is not waited for', async () => {
  const { ports } = await campaignsBench('sqlite');
  const caller = new AbortController();
  const waiting = runInTime(ports, waitTask, null, caller.signal);
  caller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});
