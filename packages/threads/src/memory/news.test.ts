import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';
import { channelMemory } from './channel-memory.ts';

/** What an agent has saved, as a process leaves it that is gone before it could tell the thread. */
async function savedUntold(engine: Engine) {
  const bench = await sessionBench(engine);
  const { platform, store, audit, hears, sessions } = bench;
  const { threadId } = await platform.say(OWNER, '@postern begin');
  await hears('answer: begin', threadId);
  const [session] = await sessions();
  const newId = idGenerator({ clock: systemClock, random: systemRandom });
  const memory = channelMemory({ store, clock: systemClock, newId, audit });
  const place = { platformId: platform.id, channelId: platform.channelId };
  const sessionId = session?.session_id ?? '';
  await memory.write(place, { text: 'Zero.', source: 'user', author: OWNER, sessionId: null });
  const saved = await memory.write(place, { text: 'One.', source: 'agent', author: OWNER, sessionId });
  if (saved.kind !== 'saved') throw new Error(saved.kind);
  const news = () => bench.store.db.selectFrom('threads_memory_news').selectAll().execute();
  const told = () => bench.said(threadId).filter((text) => text.includes('saved a channel memory'));
  return { bench, memory, saved, threadId, news, told };
}

describeEngines('a save of an agent’s', (engine) => {
  test('is told in its thread by the next process, once', async () => {
    const { bench, threadId, news, told } = await savedUntold(engine);
    await bench.crash();
    await bench.hears(
      '🧠 Claude saved a channel memory: `One.`\nRemove it with `!memory forget 2`.',
      threadId,
    );
    await expect.poll(news, patience).toEqual([]);
    await bench.restart();
    await bench.platform.say(OWNER, 'again', { threadId });
    await bench.hears('answer: again', threadId);
    expect(told()).toHaveLength(1);
  });

  test('that was told, taken back or forgotten is no news', async () => {
    const { bench, memory, saved, threadId, news, told } = await savedUntold(engine);
    await memory.told(saved);
    expect(await news()).toEqual([]);
    const { entry } = saved;
    for (const undo of [
      () => memory.takeBack({ ...saved, entry }, OWNER),
      () => memory.forget(entry.id, OWNER),
    ]) {
      await bench.store.db.insertInto('threads_memory_news').values({ memory_id: entry.id }).execute();
      await undo();
    }
    await bench.restart();
    await bench.platform.say(OWNER, 'again', { threadId });
    await bench.hears('answer: again', threadId);
    await expect.poll(news, patience).toEqual([]);
    expect(told()).toEqual([]);
  });
});
