import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { fakeAgent } from '../src/testing/fake-agent.ts';
import { OWNER } from '../src/testing/fake-platform.ts';
import { saveTask } from '../src/unattended/tasks.ts';
import { service } from './service-bench.ts';

describeEngines('the console’s list of routines and watches', (engine) => {
  test('has the next run and the latest ones, and pauses, resumes and deletes', async () => {
    const { store, call } = await service(engine, fakeAgent());
    const common = {
      platform_id: 'fake',
      channel_id: 'main',
      created_by: OWNER.id,
      creator_name: OWNER.name,
      created_us: systemClock.nowMicroseconds(),
    };
    await store.transaction(async (tx) => {
      const schedule = { preset: 'daily', time: '09:00', weekday: null, timezone: 'Asia/Tehran' } as const;
      const routine = { kind: 'routine', name: 'News', prompt: 'Sum up.', schedule } as const;
      await saveTask(tx, routine, { ...common, task_id: 'rtn_1' }, 10);
      const watch = {
        kind: 'watch',
        name: 'Outages',
        prompt: 'Look.',
        condition: 'it is down',
        keywords: ['down'],
      } as const;
      await saveTask(tx, watch, { ...common, task_id: 'wtc_1' }, 10);
    });
    const list = async (kind: string) => (await call('GET', `/tasks?kind=${kind}`)).body.data;
    expect(await list('routine')).toMatchObject([
      {
        id: 'rtn_1',
        schedule: { timezone: 'Asia/Tehran', in_words: 'every day at 09:00 (Asia/Tehran)' },
        next_run_at: expect.stringMatching(/T05:30:00/),
        is_enabled: true,
        creator: { id: OWNER.id, name: OWNER.name },
        runs: [],
      },
    ]);
    expect(await list('watch')).toMatchObject([{ id: 'wtc_1', condition: 'it is down', next_run_at: null }]);
    expect((await call('POST', '/tasks/rtn_1/pause')).status).toBe(204);
    expect(await list('routine')).toMatchObject([{ is_enabled: false, next_run_at: null }]);
    expect((await call('POST', '/tasks/rtn_1/resume')).status).toBe(204);
    expect(await list('routine')).toMatchObject([{ is_enabled: true }]);
    expect((await call('DELETE', '/tasks/rtn_1')).status).toBe(204);
    expect((await call('DELETE', '/tasks/rtn_1')).status).toBe(404);
    expect(await list('routine')).toEqual([]);
  });
});
