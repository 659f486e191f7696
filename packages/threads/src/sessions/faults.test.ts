import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { answering } from '../testing/fake-agent.ts';
import { ALLOWED, OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

const SESSIONS = 20;
const numbers = Array.from({ length: SESSIONS }, (_, index) => index);

describeEngines('twenty sessions', (engine) => {
  test('answer every message once though the connection is lost twice and the process killed', async () => {
    const { platform, said, crash, agent } = await sessionBench(engine, {
      threads: { limits: { maxSessions: SESSIONS }, userAttribution: false },
    });
    const roots = await Promise.all(numbers.map((n) => platform.say(OWNER, `@postern ${n}-0`)));
    const writeAll = async (round: number) => {
      for (const [n, { threadId }] of roots.entries())
        await platform.say(n % 2 === 0 ? OWNER : ALLOWED, `${n}-${round}`, { threadId });
    };
    await writeAll(1);
    platform.cut();
    await writeAll(2);
    platform.mend();
    await writeAll(3);
    platform.cut();
    await writeAll(4);
    await crash();
    platform.mend();
    await writeAll(5);
    for (const [n, { threadId }] of roots.entries()) {
      await expect.poll(() => said(threadId).at(-1), { ...patience, timeout: 25_000 }).toBe(`answer: ${n}-5`);
      // A turn that the crash cut off is gone on with by a note; what it had said is not said again.
      const answers = said(threadId).filter((text) => !text.includes('[Note from the bot'));
      const wanted = [0, 1, 2, 3, 4, 5].map((round) => `answer: ${n}-${round}`);
      expect([...new Set(answers)]).toEqual(answers);
      expect(wanted.filter((text) => !answers.includes(text)).length).toBeLessThanOrEqual(
        said(threadId).length - answers.length,
      );
    }
    expect(agent.histories.size).toBe(SESSIONS);
  });
});

test('of two processes on one PostgreSQL, one runs a platform, and the other goes on with its sessions', async () => {
  const { platform, manager, another, agent, hears, said } = await sessionBench('postgres');
  const second = await another();
  const { threadId } = await platform.say(OWNER, '@postern one');
  await hears('answer: one');
  expect(second.rooms.size).toBe(0);
  expect(second.health()).toMatchObject([{ status: 'standby' }]);
  await manager.stop();
  await expect.poll(() => second.rooms.size, patience).toBe(1);
  await platform.say(OWNER, 'two', { threadId });
  await hears('answer: two');
  // Between them may stand that it goes on after a restart.
  expect(said(threadId).filter((text) => text.startsWith('answer'))).toEqual(['answer: one', 'answer: two']);
  expect(agent.processes.map(({ launch }) => launch.resume)).toEqual([false, true]);
});

describeEngines('a platform that stops with an error', (engine) => {
  test('is started again, and its sessions go on', async () => {
    const { platform, agent, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    agent.behave(answering);
    platform.fail();
    await expect.poll(() => platform.isRunning, patience).toBe(false);
    await expect.poll(() => platform.isRunning, patience).toBe(true);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(agent.processes).toHaveLength(1);
  });
});
