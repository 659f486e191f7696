import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { silentLog } from '@postern/http';
import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';
import { tidyUp } from './retention.ts';

const DAY_MS = 86_400_000;

describeEngines('what is kept', (engine) => {
  test('is let go when its time is over: done messages, files of ended sessions, forgotten sessions', async () => {
    const clock = fakeClock();
    const bench = await sessionBench(engine, { clock });
    const { platform, store, manager, audit, said, sessions, fate } = bench;
    const first = await platform.say(OWNER, '@postern one');
    const second = await platform.say(OWNER, '@postern two');
    await expect.poll(() => fate(first.postId), patience).toBe('answered');
    await expect.poll(() => fate(second.postId), patience).toBe('answered');
    const all = await sessions();
    const oldest = all.find((row) => row.thread_id === first.threadId);
    const newest = all.find((row) => row.thread_id === second.threadId);
    await manager.actions.end(newest!.session_id, 'done', OWNER);
    const afterAMinute = async () => {
      await clock.advance(60_000);
      return said(first.threadId).join();
    };
    await expect.poll(afterAMinute, patience).toContain('Paused, since nothing was said');
    const uploads = manager.uploadDir(newest!.session_id);
    await mkdir(uploads, { recursive: true });
    const sweep = async () => {
      const stop = new AbortController();
      const sleeping = clock.sleeping;
      const keeping = { ...manager, platforms: new Set([platform.id]) };
      const sweeping = tidyUp({ store, clock, log: silentLog }, keeping, stop.signal);
      await clock.untilSleeping(sleeping + 1);
      stop.abort();
      await sweeping;
    };
    await sweep();
    expect(await fate(first.postId)).toBe('answered');
    expect(existsSync(uploads)).toBe(true);
    clock.set(clock.nowMicroseconds() + 8 * DAY_MS * 1_000);
    await sweep();
    expect(existsSync(uploads)).toBe(false);
    clock.set(clock.nowMicroseconds() + 25 * DAY_MS * 1_000);
    await sweep();
    expect(said(first.threadId).at(-1)).toBe(
      '🏁 This session is over: it was paused for 30 days. Mention me to begin another.',
    );
    expect(audit.of('session_ended')).toHaveLength(2);
    clock.set(clock.nowMicroseconds() + 2 * DAY_MS * 1_000);
    await sweep();
    expect(await fate(first.postId)).toBe('not recorded');
    const states = new Map((await sessions()).map((row) => [row.session_id, row.state]));
    expect(states.get(oldest!.session_id)).toBe('ended');
  });

  test('of a session that was paused for thirty days goes into memory at its end, older messages too', async () => {
    const clock = fakeClock();
    const bench = await sessionBench(engine, { clock });
    const { platform, store, manager, agent, said, hears } = bench;
    agent.whenAsked(async () => '{"facts":[]}');
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const write = async (text: string) => {
      await platform.say(OWNER, text, { threadId });
      await hears(`answer: ${text}`);
    };
    for (const text of ['two', 'three', 'four']) await write(text);
    const untilPaused = (times: number) =>
      expect
        .poll(async () => {
          await clock.advance(60_000);
          return said(threadId).filter((text) => text.includes('Paused, since nothing was said')).length;
        }, patience)
        .toBe(times);
    const keeping = { ...manager, platforms: new Set([platform.id]) };
    const sweepAfter = async (days: number) => {
      clock.set(clock.nowMicroseconds() + days * DAY_MS * 1_000);
      const stop = new AbortController();
      const sleeping = clock.sleeping;
      const sweeping = tidyUp({ store, clock, log: silentLog }, keeping, stop.signal);
      await clock.untilSleeping(sleeping + 1);
      stop.abort();
      await sweeping;
    };
    await untilPaused(1);
    await sweepAfter(20);
    await write('five');
    await untilPaused(2);
    await sweepAfter(25);
    expect(agent.asked).toEqual([]);
    await sweepAfter(6);
    await expect.poll(() => agent.asked.length, patience).toBe(1);
    for (const text of ['one', 'two', 'five']) expect(agent.asked[0]).toContain(`"${text}"`);
  });

  test('is let go of runs after ninety days, and of looks that set nothing off after a week', async () => {
    const clock = fakeClock();
    const { platform, store, manager } = await sessionBench(engine, { clock });
    const fire = (name: string, days: number, taskId: string | null) => ({
      fire_id: name,
      unique_key: name,
      platform_id: 'fake',
      channel_id: 'main',
      task_id: taskId,
      state: 'done' as const,
      outcome: null,
      detail: null,
      count: 1,
      due_us: clock.nowMicroseconds() - days * DAY_MS * 1_000,
      session_id: null,
      ended_us: null,
    });
    await store.db
      .insertInto('threads_fires')
      .values([
        fire('run', 89, 'rtn'),
        fire('old run', 91, 'rtn'),
        fire('look', 6, null),
        fire('old look', 8, null),
      ])
      .execute();
    const stop = new AbortController();
    const sleeping = clock.sleeping;
    const keeping = { ...manager, platforms: new Set([platform.id]) };
    const sweeping = tidyUp({ store, clock, log: silentLog }, keeping, stop.signal);
    await clock.untilSleeping(sleeping + 1);
    stop.abort();
    await sweeping;
    const left = await store.db.selectFrom('threads_fires').select('fire_id').orderBy('fire_id').execute();
    expect(left.map(({ fire_id }) => fire_id)).toEqual(['look', 'run']);
  });
});
