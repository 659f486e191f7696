import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { QuestionKind } from '../questions/question.ts';
import { fakePlatform, OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

describeEngines('that the bot is typing', (engine) => {
  /** A session in the middle of a turn, with how often it was shown to be typing. */
  async function atWork() {
    const clock = fakeClock();
    const platform = fakePlatform();
    let shown = 0;
    Object.assign(platform, {
      typing: async () => {
        shown += 1;
      },
    });
    const bench = await sessionBench(engine, { platform, clock });
    bench.agent.behave(async (turn) => void (await turn.take()));
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => bench.fate(postId), patience).toBe('taken');
    const [session] = await bench.sessions();
    const ask = (kind: QuestionKind) =>
      bench.questions.ask(
        {
          kind,
          platformId: platform.id,
          sessionId: session!.session_id,
          channelId: platform.channelId,
          threadId,
          markdown: 'May it?',
          options: [{ key: 'allow', emoji: '+1', label: 'Allow' }],
          takesText: false,
          approvers: { rule: 'all_users' },
          deadlineMs: clock.nowMicroseconds() / 1_000 + 86_400_000,
          subject: { title: 'May it' },
        },
        new AbortController().signal,
      );
    /** Lets the time go by after which it is shown again. */
    const pass = async () => {
      await clock.advance(4_000);
      return shown;
    };
    const card = () => platform.botPost(({ text }) => text.startsWith('May it?'));
    return { platform, ask, card, pass, shown: () => shown };
  }

  test.each(['permission', 'plan', 'choice', 'direct_message'] as const)(
    'is not shown while the agent waits for a person (%s), and is again afterwards',
    async (kind) => {
      const { platform, ask, card, pass, shown } = await atWork();
      await expect.poll(pass, patience).toBeGreaterThan(1);
      const decision = ask(kind);
      const post = await card();
      // What was under way when the question came up may still be shown.
      for (let times = 0; times < 3; times += 1) await pass();
      const before = shown();
      for (let times = 0; times < 10; times += 1) await pass();
      expect(shown()).toBe(before);
      await platform.reactAs(OWNER, post, '+1');
      await decision;
      await expect.poll(pass, patience).toBeGreaterThan(before);
    },
  );

  test('is shown while somebody else’s message waits, since the agent does not', async () => {
    const { ask, card, pass, shown } = await atWork();
    void ask('outsider_message');
    await card();
    const before = shown();
    await expect.poll(pass, patience).toBeGreaterThan(before + 2);
  });
});
