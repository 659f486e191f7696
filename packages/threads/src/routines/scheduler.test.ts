import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { taskBench } from '../testing/task-bench.ts';
import { TELL_AGAIN_MS, tellLeftSwitchedOff } from '../unattended/switched-off.ts';
import type { RoutineDraft } from '../unattended/task.ts';
import { enableTask, taskById } from '../unattended/tasks.ts';
import { WINDOW_MS } from './scheduler.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const routine = (schedule: Partial<RoutineDraft['schedule']> = {}): RoutineDraft => ({
  kind: 'routine',
  name: 'Morning news',
  prompt: 'Sum up what is new.',
  schedule: { preset: 'hourly', time: '00:10', weekday: null, timezone: 'Europe/Amsterdam', ...schedule },
});

// The clock of the bench starts at midnight UTC, 02:00 in Amsterdam.

describeEngines('a routine', (engine) => {
  test('runs when it is due, in a thread of its own that shows who it is for and what is to be done', async () => {
    const at = await taskBench(engine);
    const { scheduler } = await at.process();
    const task = await at.save(routine());
    await at.clock.advance(10 * MINUTE_MS - 1);
    await scheduler.tick();
    expect(at.begun).toEqual([]);
    await at.clock.advance(1);
    await scheduler.tick();
    const [post] = at.platform.posts;
    expect(at.begun).toMatchObject([
      {
        owner_id: OWNER.id,
        thread_id: post?.postId,
        kind: 'thread',
        is_unattended: 1,
        title: 'Morning news',
      },
    ]);
    expect(post?.text).toMatch(
      /🕘 \*\*Unattended session\*\* of the routine \*\*Morning news\*\*.*every hour.*for olga/,
    );
    expect(post?.text).toContain('Sum up what is new.');
    const messages = await at.store.db.selectFrom('threads_messages').selectAll().execute();
    expect(messages).toMatchObject([{ text: 'Sum up what is new.', state: 'queued', author_id: OWNER.id }]);
    expect(at.audit.of('session_started')).toMatchObject([
      { actor: 'system', details: { unattended: true, task: task.id, for: OWNER.id } },
    ]);
  });

  test('runs once a period, however often it is looked at and by however many processes', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    const processes = await Promise.all([at.process(), at.process(), at.process()]);
    for (let hour = 0; hour < 5; hour += 1) {
      await at.clock.advance(hour === 0 ? 10 * MINUTE_MS : HOUR_MS);
      for (let again = 0; again < 3; again += 1) {
        await Promise.all(processes.map(({ scheduler }) => scheduler.tick()));
      }
      expect(at.begun).toHaveLength(hour + 1);
      expect(at.platform.posts).toHaveLength(hour + 1);
    }
  });

  test('runs once after a process that went between its claim and its session', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    const first = await at.process();
    await at.clock.advance(10 * MINUTE_MS);
    at.platform.failNext('post', 'unavailable');
    await first.scheduler.tick();
    expect(await at.fires()).toMatchObject([{ state: 'due' }]);
    const second = await at.process();
    await second.scheduler.tick();
    await first.scheduler.tick();
    expect(at.begun).toHaveLength(1);
    expect(await at.fires()).toMatchObject([{ state: 'running', session_id: at.begun[0]?.session_id }]);
  });

  test('that was missed is left out, and the channel is told, once', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    await at.clock.advance(3 * HOUR_MS + 10 * MINUTE_MS + WINDOW_MS + 1);
    const { scheduler } = await at.process();
    await scheduler.tick();
    await (await at.process()).scheduler.tick();
    expect(at.begun).toEqual([]);
    expect(at.said()).toEqual([
      '⏭️ These runs of routines were left out:\n- **Morning news**: 4 runs, the last of them Fri 2026-05-01 05:10 (Europe/Amsterdam); I was not running then',
    ]);
    expect(await at.fires()).toMatchObject([{ state: 'done', outcome: 'missed', count: 4 }]);
    await at.clock.advance(HOUR_MS - WINDOW_MS);
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
  });

  test('that was missed is told of once the platform takes posts again', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    await at.clock.advance(10 * MINUTE_MS + WINDOW_MS + 1);
    const { scheduler } = await at.process();
    at.platform.failNext('post', 'unavailable');
    await scheduler.tick();
    expect(at.said()).toEqual([]);
    await (await at.process()).scheduler.tick();
    await scheduler.tick();
    expect(at.said()).toEqual([expect.stringMatching(/left out[\s\S]*Fri 2026-05-01 02:10/)]);
    expect(await at.fires()).toMatchObject([{ state: 'done', outcome: 'missed' }]);
  });

  test('that was missed for months is told of with the last time that was its own', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    await at.clock.advance(60 * 24 * HOUR_MS);
    const { scheduler } = await at.process();
    await scheduler.tick();
    expect(at.said()).toEqual([
      expect.stringContaining('1000 or more runs, the last of them Tue 2026-06-30 01:10 (Europe/Amsterdam)'),
    ]);
  });

  test('runs though another one cannot', async () => {
    const at = await taskBench(engine);
    // As a database has it that comes from a machine which knows more zones.
    await at.save({ ...routine({ timezone: 'Mars/Olympus' }), name: 'Unknown' });
    await at.save(routine());
    await at.clock.advance(10 * MINUTE_MS);
    await (await at.process()).scheduler.tick();
    expect(at.begun).toMatchObject([{ title: 'Morning news' }]);
  });

  test('whose first post may have arrived is looked for and runs, once', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    await at.clock.advance(10 * MINUTE_MS);
    const { scheduler } = await at.process();
    at.platform.failNext('post', 'unknown');
    await scheduler.tick();
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
    expect(at.said()).toHaveLength(1);
  });

  test('runs up to five minutes late, and leaves out what was before', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    await at.clock.advance(HOUR_MS + 10 * MINUTE_MS + WINDOW_MS);
    const { scheduler } = await at.process();
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
    expect(at.said()[1]).toMatch(/left out[\s\S]*Fri 2026-05-01 02:10/);
  });

  test('waits for a place for as long as its window, and is left out then', async () => {
    const at = await taskBench(engine, 1);
    await at.save(routine());
    const { at: surroundings, scheduler } = await at.process();
    surroundings.slots.take('another');
    await at.clock.advance(10 * MINUTE_MS);
    await scheduler.tick();
    expect(at.begun).toEqual([]);
    surroundings.slots.free('another');
    await at.clock.advance(MINUTE_MS);
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
    await at.clock.advance(HOUR_MS - MINUTE_MS);
    await scheduler.tick();
    await at.clock.advance(WINDOW_MS + 1);
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
    expect(at.said().at(-1)).toMatch(/left out[\s\S]*there was no place for it/);
  });

  test('runs only while its creator is on the list, and is switched off after three times', async () => {
    const at = await taskBench(engine);
    const task = await at.save(routine());
    at.allowed.clear();
    const { scheduler } = await at.process();
    for (let hour = 0; hour < 4; hour += 1) {
      await at.clock.advance(hour === 0 ? 10 * MINUTE_MS : HOUR_MS);
      await scheduler.tick();
    }
    expect(at.begun).toEqual([]);
    expect(at.said().map((text) => text.slice(0, 1))).toEqual(['⚠', '⚠', '⚠', '⛔']);
    expect(at.said()[0]).toMatch(/could not run: olga, who made it, is not on the list any more/);
    expect(await taskById(at.store.db, task.id)).toMatchObject({
      isEnabled: false,
      disabledReason: '3 runs in a row failed',
    });
  });

  test('with a zone that this server does not know leaves the others to run, and what they missed to be told', async () => {
    const at = await taskBench(engine);
    const strange = await at.save(routine());
    await at.save({ ...routine(), name: 'Evening news' });
    const { scheduler } = await at.process();
    await at.clock.advance(10 * MINUTE_MS);
    await scheduler.tick();
    expect(at.begun).toHaveLength(2);
    await at.store.db
      .updateTable('threads_fires')
      .set({ state: 'missed', session_id: null })
      .where('task_id', '=', strange.id)
      .execute();
    await at.store.db
      .updateTable('threads_tasks')
      .set({ spec_json: JSON.stringify({ ...routine().schedule, timezone: 'Mars/Olympus' }) })
      .where('task_id', '=', strange.id)
      .execute();
    await at.clock.advance(HOUR_MS);
    await scheduler.tick();
    expect(at.begun.slice(2).map(({ title }) => title)).toEqual(['Evening news']);
    expect(at.said().at(-1)).toContain('**Morning news**: Fri 2026-05-01 00:10 (UTC)');
  });

  test('that is switched off is told of, though the platform was away and the process went', async () => {
    const at = await taskBench(engine);
    const task = await at.save(routine());
    await at.store.db.updateTable('threads_tasks').set({ failures: 2 }).execute();
    const { scheduler, at: first } = await at.process();
    await at.clock.advance(10 * MINUTE_MS);
    await scheduler.tick();
    at.platform.failNext('post', 'unavailable');
    await at.sessionEnds(0, 'failed');
    const told = () => at.said().filter((text) => text.startsWith('⛔'));
    expect([told(), (await taskById(at.store.db, task.id))?.isEnabled]).toEqual([[], false]);
    // The next process, which finds it on record.
    await tellLeftSwitchedOff(first);
    expect(told()).toEqual([expect.stringContaining('`@postern !routines resume <number>` switches it on')]);
    // The one that was away goes on trying, and says nothing twice.
    await at.clock.advance(TELL_AGAIN_MS);
    await at.settled();
    await tellLeftSwitchedOff(first);
    expect(told()).toHaveLength(1);
  });

  test('whose creator is not on the list is told of, though the platform was away', async () => {
    const at = await taskBench(engine);
    await at.save(routine());
    at.allowed.clear();
    const { scheduler } = await at.process();
    await at.clock.advance(10 * MINUTE_MS);
    at.platform.failNext('post', 'unavailable');
    await scheduler.tick();
    await scheduler.tick();
    expect(at.said()).toEqual([expect.stringContaining('is not on the list any more')]);
    expect(await at.fires()).toMatchObject([{ state: 'done', outcome: 'failed' }]);
  });

  test('whose sessions fail three times in a row is switched off; one that succeeds between begins anew', async () => {
    const at = await taskBench(engine);
    const task = await at.save(routine());
    const { scheduler } = await at.process();
    const outcomes = ['failed', 'failed', 'succeeded', 'failed', 'stopped', 'failed', 'failed'] as const;
    for (const [index, outcome] of outcomes.entries()) {
      await at.clock.advance(index === 0 ? 10 * MINUTE_MS : HOUR_MS);
      await scheduler.tick();
      expect((await taskById(at.store.db, task.id))?.isEnabled).toBe(true);
      await at.sessionEnds(index, outcome);
      await at.sessionEnds(index, 'failed');
    }
    expect((await taskById(at.store.db, task.id))?.isEnabled).toBe(false);
    expect(at.said().at(-1)).toMatch(/⛔.*\*\*Morning news\*\* is switched off/);
    await enableTask(at.store, task.id, true, at.clock.nowMicroseconds());
    await at.clock.advance(HOUR_MS);
    await scheduler.tick();
    expect(at.begun).toHaveLength(outcomes.length + 1);
  });

  test('that is paused does not run, and makes up for nothing when it goes on', async () => {
    const at = await taskBench(engine);
    const task = await at.save(routine());
    const { scheduler } = await at.process();
    await enableTask(at.store, task.id, false, at.clock.nowMicroseconds());
    await at.clock.advance(3 * HOUR_MS);
    await scheduler.tick();
    await enableTask(at.store, task.id, true, at.clock.nowMicroseconds());
    await scheduler.tick();
    expect(at.said()).toEqual([]);
    await at.clock.advance(10 * MINUTE_MS);
    await scheduler.tick();
    expect(at.begun).toHaveLength(1);
  });

  test('runs on each side of a clock change as its rule says', async () => {
    const at = await taskBench(engine);
    at.clock.set(Date.parse('2026-10-24T12:00Z') * 1_000);
    await at.save(routine());
    await at.save(routine({ preset: 'daily', time: '02:30' }));
    const { scheduler } = await at.process();
    const ran: string[] = [];
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
      await at.clock.advance(5 * MINUTE_MS);
      const before = at.begun.length;
      await scheduler.tick();
      for (const _ of at.begun.slice(before)) {
        ran.push(new Date(at.clock.nowMicroseconds() / 1_000).toISOString().slice(11, 16));
      }
    }
    expect(ran.filter((time) => time.endsWith(':10'))).toHaveLength(24);
    expect(ran.filter((time) => time.endsWith(':30'))).toEqual(['00:30']);
  });
});
