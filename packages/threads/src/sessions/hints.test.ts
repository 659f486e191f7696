import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { type SessionBenchOptions, sessionBench } from '../testing/session-bench.ts';

describeEngines('what is told to write', (engine) => {
  async function answered(text: string, options: SessionBenchOptions): Promise<string> {
    const { platform, hears } = await sessionBench(engine, options);
    const { threadId } = await platform.say(OWNER, text);
    return (await hears('', threadId)).text;
  }

  test.each([
    ['@postern', '`@postern !help` lists the commands'],
    ['@postern !hepl', 'Did you mean `@postern !help`?'],
    ['@postern !help', 'at the beginning of a message, as in `@postern !help`'],
    ['@postern !help me', 'Write only `@postern !help`'],
    ['@postern !memory', '`@postern !remember <text>` keeps'],
    ['@postern !memory forgt 1', '`@postern !memory` to see it, or `@postern !memory forget`'],
    ['@postern !remember', '`@postern !remember we deploy on Tuesdays`'],
    ['@postern !routine', '`@postern !routine every weekday'],
    ['@postern !watches', '`@postern !watch` makes one'],
    ['@postern !watches pause', '`@postern !watches pause <n>`'],
    ['@postern !watches pause 1', '`@postern !watches` lists them'],
    ['@postern !worktree', '`@postern !worktree <branch>`'],
    ['@postern !cd', '`@postern !cd <path>`'],
    ['@postern !permissions none', '`@postern !permissions default`'],
  ])('where no session listens has the mention that it needs: %s', async (text, hint) => {
    expect(await answered(text, { behaviour: { routines: true, watches: true } })).toContain(hint);
  });

  test('has none where the whole channel is heard', async () => {
    const { platform, hears } = await sessionBench(engine, {
      behaviour: { directChannelMode: 'all_messages' },
    });
    await platform.say(OWNER, '@postern');
    await hears('👋 Tell me what to do. `!help` lists the commands.');
    await platform.say(OWNER, '!hepl');
    await hears('Did you mean `!help`? `!help` lists');
  });

  test('has none in a session, which hears its commands', async () => {
    const { platform, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(OWNER, '!memory', { threadId });
    await hears('here yet. `!remember <text>` keeps', threadId);
  });

  test('is a mention for a session that hears nothing else', async () => {
    const { platform, agent, hears } = await sessionBench(engine, { behaviour: { sessionHeader: 'full' } });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const header = await hears('Write here to go on', threadId);
    await platform.say(OWNER, '!mentions on', { threadId });
    expect((await hears('Mention me here to go on', threadId)).postId).toBe(header.postId);
    agent.behave(async (turn) => {
      await turn.take();
      await turn.process.die();
    });
    await platform.say(OWNER, '@postern two', { threadId });
    await hears('Mention me again to go on', threadId);
  });
});
