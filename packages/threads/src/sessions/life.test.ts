import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { sessionBench } from '../testing/session-bench.ts';
import type { CommandBook } from './joins.ts';

const commands: CommandBook = { all: [], read: () => ({ kind: 'none' }) };

describeEngines('a session', (engine) => {
  test('begins with a mention, and answers in the thread', async () => {
    const { platform, hears, sessions } = await sessionBench(engine, { commands });
    const root = await platform.say(OWNER, '@postern fix the bug');
    await hears('answer: fix the bug', root.threadId);
    expect(await sessions()).toMatchObject([
      { thread_id: root.threadId, owner_id: OWNER.id, state: 'active' },
    ]);
  });

  test('goes on with what is written in its thread, in order', async () => {
    const { platform, hears, said } = await sessionBench(engine, { commands });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await platform.say(OWNER, 'two', { threadId });
    await platform.say(OWNER, 'three', { threadId });
    await hears('answer: three');
    expect(said(threadId)).toEqual(['answer: one', 'answer: two', 'answer: three']);
  });
});
