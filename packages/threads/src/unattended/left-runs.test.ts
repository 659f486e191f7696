import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { taskBench } from '../testing/task-bench.ts';
import { settleLeftRuns } from './left-runs.ts';
import { taskById } from './tasks.ts';

describeEngines('a run that an earlier process did not settle', (engine) => {
  async function left() {
    const at = await taskBench(engine);
    const task = await at.save({
      kind: 'routine',
      name: 'News',
      prompt: 'Sum up.',
      schedule: { preset: 'hourly', time: '00:10', weekday: null, timezone: 'UTC' },
    });
    const { scheduler, at: surroundings } = await at.process();
    await at.clock.advance(10 * 60_000);
    await scheduler.tick();
    const { db } = at.store;
    const done = (outcome: 'answered' | 'failed' | 'dropped') =>
      db.updateTable('threads_messages').set({ state: 'done', outcome }).execute();
    const settle = () => settleLeftRuns(surroundings);
    return { at, task, db, done, settle };
  }

  test.each([
    ['answered', 'succeeded', 0],
    ['failed', 'failed', 1],
    ['dropped', 'stopped', 0],
  ] as const)('whose task was %s has %s', async (message, outcome, failures) => {
    const { at, task, done, settle } = await left();
    await done(message);
    await settle();
    await settle();
    expect(await at.fires()).toMatchObject([{ state: 'done', outcome }]);
    expect(await taskById(at.store.db, task.id)).toMatchObject({ failures });
  });

  test('whose agent was interrupted was stopped', async () => {
    const { at, db, done, settle } = await left();
    await done('answered');
    await db.updateTable('threads_sessions').set({ state: 'interrupted' }).execute();
    await settle();
    expect(await at.fires()).toMatchObject([{ outcome: 'stopped' }]);
  });

  test('is left alone while its task is still to be done', async () => {
    const { at, settle } = await left();
    await settle();
    expect(await at.fires()).toMatchObject([{ state: 'running' }]);
  });

  test('is the third to fail in a row, and switches its routine off', async () => {
    const { at, task, db, done, settle } = await left();
    await db.updateTable('threads_tasks').set({ failures: 2 }).execute();
    await done('failed');
    await settle();
    expect(await taskById(at.store.db, task.id)).toMatchObject({ isEnabled: false });
    expect(at.said().at(-1)).toContain('is switched off');
  });
});
