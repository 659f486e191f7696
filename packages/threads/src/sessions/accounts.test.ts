import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';
import { saveTask } from '../unattended/tasks.ts';
import { accountsOf, coolAccount } from './accounts.ts';

const claudeAccounts = [
  { id: 'one', home: '/homes/one' },
  { id: 'two', apiKeyFile: '/keys/two' },
];
const HOUR_MS = 3_600_000;

async function bench(engine: Parameters<typeof sessionBench>[0]) {
  const at = await sessionBench(engine, { threads: { claudeAccounts } });
  const begin = async (task: string) => {
    const { threadId } = await at.platform.say(OWNER, `@postern ${task}`);
    await at.hears(`answer: ${task}`, threadId);
    return threadId;
  };
  const pool = () => accountsOf({ store: at.store, clock: systemClock }, at.config.claudeAccounts);
  const used = async () => (await at.sessions()).map(({ account_id }) => account_id).reverse();
  return { ...at, begin, pool, used };
}

describeEngines('the pool of accounts', (engine) => {
  test('gives a session the account with the fewest running ones', async () => {
    const { begin, platform, hears, used, agent, pool } = await bench(engine);
    const first = await begin('a');
    await begin('b');
    await begin('c');
    await platform.say(OWNER, '!stop', { threadId: first });
    await hears('is over', first);
    await begin('d');
    await begin('e');
    expect(await used()).toEqual(['one', 'two', 'one', 'one', 'two']);
    expect(agent.processes.map(({ launch }) => launch.account).slice(0, 2)).toEqual([
      { home: '/homes/one' },
      { apiKeyFile: '/keys/two' },
    ]);
    expect(await pool()).toMatchObject([
      { id: 'one', login: 'home', running: 2, limitedUntilMs: null },
      { id: 'two', login: 'api_key', running: 2, limitedUntilMs: null },
    ]);
  });

  test('gives sessions that begin at the same moment accounts of their own', async () => {
    const { platform, hears, used, agent } = await bench(engine);
    const tasks = ['a', 'b', 'c', 'd'];
    const posts = await Promise.all(tasks.map((task) => platform.say(OWNER, `@postern ${task}`)));
    await Promise.all(tasks.map((task, index) => hears(`answer: ${task}`, posts[index]?.threadId ?? '')));
    expect((await used()).toSorted()).toEqual(['one', 'one', 'two', 'two']);
    expect(agent.processes.filter(({ launch }) => launch.account?.home === '/homes/one')).toHaveLength(2);
  });

  test('leaves out an account that has reached its limit, until it is lifted', async () => {
    const { begin, agent, used, pool } = await bench(engine);
    await begin('a');
    const resetsAtMs = Date.now() + 2 * HOUR_MS;
    await (await agent.process(0)).emit({ type: 'rate_limited', state: 'rejected', resetsAtMs });
    expect((await pool())[0]?.limitedUntilMs).toBe(resetsAtMs);
    await begin('b');
    await begin('c');
    expect(await used()).toEqual(['one', 'two', 'two']);
  });

  test('leaves it out for an hour where nobody says when the limit is lifted', async () => {
    const { begin, agent, pool } = await bench(engine);
    await begin('a');
    const before = Date.now();
    await (await agent.process(0)).emit({ type: 'rate_limited', state: 'rejected', resetsAtMs: null });
    const until = (await pool())[0]?.limitedUntilMs ?? 0;
    expect(until).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(until).toBeLessThanOrEqual(Date.now() + HOUR_MS + 1);
  });

  test('is warned of a limit without leaving the account out', async () => {
    const { begin, agent, pool } = await bench(engine);
    await begin('a');
    const process = await agent.process(0);
    await process.emit({ type: 'rate_limited', state: 'warning', resetsAtMs: Date.now() + HOUR_MS });
    expect((await pool())[0]?.limitedUntilMs).toBeNull();
  });

  test('takes the account that is free again first when all have reached their limits', async () => {
    const { begin, agent, used } = await bench(engine);
    await begin('a');
    await begin('b');
    for (const [index, hours] of [3, 1].entries()) {
      const resetsAtMs = Date.now() + hours * HOUR_MS;
      await (await agent.process(index)).emit({ type: 'rate_limited', state: 'rejected', resetsAtMs });
    }
    await begin('c');
    expect(await used()).toEqual(['one', 'two', 'two']);
  });

  test('resumes a session with its own account, limited or not, after a restart too', async () => {
    const { begin, agent, platform, hears, restart, pool } = await bench(engine);
    const threadId = await begin('a');
    const resetsAtMs = Date.now() + HOUR_MS;
    await (await agent.process(0)).emit({ type: 'rate_limited', state: 'rejected', resetsAtMs });
    await restart();
    expect((await pool())[0]?.limitedUntilMs).toBe(resetsAtMs);
    await platform.say(OWNER, 'more', { threadId });
    await hears('answer: more', threadId);
    expect(agent.processes.at(-1)?.launch).toMatchObject({ resume: true, account: { home: '/homes/one' } });
  });

  test('answers what is asked beside the sessions too, by an account that has not reached its limit', async () => {
    const at = await sessionBench(engine, {
      threads: { claudeAccounts },
      behaviour: { routines: true, watches: true },
    });
    const { platform, agent, hears, store } = at;
    const logins: unknown[] = [];
    agent.whenAsked(async (prompt, { account }) => {
      logins.push(account);
      if (prompt.includes('The condition')) return 'NO';
      return '{"error":"It has no time."}';
    });
    await coolAccount({ store, clock: systemClock }, 'one', null);
    await platform.say(OWNER, '@postern !routine do things');
    await hears('It has no time.');
    const common = { platform_id: platform.id, channel_id: platform.channelId, created_us: 0 };
    await store.transaction((tx) =>
      saveTask(
        tx,
        { kind: 'watch', name: 'Outages', prompt: 'Look.', condition: 'it is down', keywords: ['down'] },
        { ...common, task_id: 'wtc_1', created_by: OWNER.id, creator_name: OWNER.name },
        10,
      ),
    );
    await platform.say(OWNER, 'it is down');
    await expect
      .poll(() => logins, patience)
      .toEqual([{ apiKeyFile: '/keys/two' }, { apiKeyFile: '/keys/two' }]);
  });

  test('ends a session whose account is gone, and says so', async () => {
    const { begin, store, restart, hears, sessions } = await bench(engine);
    const threadId = await begin('a');
    await store.db.updateTable('threads_sessions').set({ account_id: 'gone' }).execute();
    await restart();
    await hears('its account gone is not configured any more', threadId);
    await expect.poll(async () => (await sessions())[0]?.state, patience).toBe('ended');
  });
});
