import { silentLog } from '@postern/http';
import { idGenerator, systemRandom } from '@postern/kit';
import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionTable } from '../tables.ts';
import { BOT, type FakePlatform, fakePlatform, OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';
import { threadsStore } from '../testing/store.ts';
import { statusPost, statusText } from './status-post.ts';

type Engine = Parameters<typeof sessionBench>[0];

const statusOf = (platform: FakePlatform) =>
  platform.posts.filter(({ author, text }) => author.id === BOT.id && text.startsWith('📌'));

const begin = (engine: Engine, stickyMessage: string, platform = fakePlatform()) =>
  sessionBench(engine, { platform, behaviour: { stickyMessage, directMessages: true } });

describeEngines('the post that says which sessions there are', (engine) => {
  test('stands in the channel, pinned, and names each session with its owner, state and link', async () => {
    const { platform, hears, restart } = await begin(engine, 'full');
    const { threadId } = await platform.say(OWNER, '@postern fix [it](http://evil) @alan');
    await hears('answer: fix');
    await restart();
    await hears(`- 🟢 active · olga · fix ithttp://evil alan · [open](fake://main/${threadId})`);
    const [status, ...others] = statusOf(platform);
    expect(others).toEqual([]);
    expect([...platform.pinned]).toEqual([status?.postId]);
  });

  test.each([
    ['full', /❔ waits for a decision · olga/, /🟢 active · olga/],
    ['minimal', /1 active; 1 waits for a decision\./, /1 active\.$/],
  ])('says, when it is %s, where somebody has to decide something', async (mode, asked, decided) => {
    const clock = fakeClock();
    const platform = fakePlatform();
    const { questions, sessions, fate } = await sessionBench(engine, {
      platform,
      clock,
      behaviour: { stickyMessage: mode },
      threads: { limits: { sessionTimeoutMinutes: 10_000 } },
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    const shown = async () => {
      await clock.advance(10_000);
      return statusOf(platform)[0]?.text;
    };
    const decision = questions.ask(
      {
        kind: 'choice',
        platformId: platform.id,
        sessionId: (await sessions())[0]!.session_id,
        channelId: platform.channelId,
        threadId,
        markdown: 'Which?',
        options: [{ key: 'one', emoji: 'one', label: 'One' }],
        takesText: false,
        approvers: { rule: 'all_users' },
        deadlineMs: clock.nowMicroseconds() / 1_000 + 10 * 86_400_000,
        subject: { title: 'Which' },
      },
      new AbortController().signal,
    );
    await expect.poll(shown, patience).toMatch(asked);
    const card = await platform.botPost(({ text }) => text.startsWith('Which?'));
    await platform.reactAs(OWNER, card, 'one');
    await decision;
    await expect.poll(shown, patience).toMatch(decided);
  });

  test('is one and the same post over restarts', async () => {
    const { platform, hears, restart, crash } = await begin(engine, 'minimal');
    const first = await hears('📌 No agent session here');
    await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await restart();
    expect((await hears('📌 Agent sessions here: 1 active')).postId).toBe(first.postId);
    await crash();
    await platform.say(OWNER, '@postern two');
    await hears('answer: two');
    expect(statusOf(platform)).toHaveLength(1);
  });

  test('is made anew when somebody has deleted it', async () => {
    const { platform, hears, restart } = await begin(engine, 'minimal');
    const first = await hears('📌 No agent session here');
    await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.deleteAs(OWNER, first);
    await restart();
    await hears('📌 Agent sessions here: 1 active');
    expect(statusOf(platform)).toHaveLength(1);
  });

  test('is not there unless it is wanted, and gone when it no longer is', async () => {
    const { platform, hears, store, manager } = await begin(engine, 'minimal');
    await hears('📌 No agent session here');
    await manager.stop();
    const clock = fakeClock(0);
    const newId = idGenerator({ clock, random: systemRandom });
    const stopping = new AbortController();
    const hidden = statusPost({
      ports: { store, clock, newId, log: silentLog },
      platform,
      mode: 'hidden',
    });
    const running = hidden.run(stopping.signal);
    await expect.poll(() => statusOf(platform), patience).toEqual([]);
    stopping.abort();
    await running;
  });

  test('says nothing of direct conversations', async () => {
    const { platform, hears, restart } = await begin(engine, 'full');
    platform.addPerson(OWNER);
    await platform.say(OWNER, 'secret', { channelId: await platform.directChannel(OWNER.id) });
    await hears('answer: secret');
    await restart();
    await hears('answer: secret');
    expect(statusOf(platform).map(({ text }) => text)).toEqual(['📌 No agent session here at present.']);
  });

  test('is edited at most once in ten seconds, however much happens, and then shows the last of it', async () => {
    const { store } = await threadsStore(engine);
    const platform = fakePlatform();
    const clock = fakeClock(0);
    const newId = idGenerator({ clock, random: systemRandom });
    let edits = 0;
    const counted = {
      ...platform,
      edit: async (...args: Parameters<typeof platform.edit>) => {
        edits += 1;
        await platform.edit(...args);
      },
    };
    const status = statusPost({
      ports: { store, clock, newId, log: silentLog },
      platform: counted,
      mode: 'minimal',
    });
    const stopping = new AbortController();
    const running = status.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
    await platform.botPost(({ text }) => text.includes('No agent session'));
    for (let count = 1; count <= 30; count += 1) {
      await store.db.insertInto('threads_sessions').values(session(count)).execute();
      status.touch();
    }
    await expect.poll(() => clock.sleeping, patience).toBe(1);
    expect(edits).toBe(0);
    await clock.advance(10_000);
    await platform.botPost(({ text }) => text.includes('30 active'));
    expect(edits).toBe(1);
  });
});

test('the post that says which sessions there are fits one message, whatever there is', () => {
  const platform = fakePlatform({ limit: 400 });
  const many = Array.from({ length: 50 }, (_, index) => session(index));
  const text = statusText(platform, many, 'full', new Map());
  expect(platform.split(text)).toHaveLength(1);
  expect(text).toMatch(/… and \d+ more$/);
});

function session(index: number): SessionTable {
  return {
    session_id: `ses_${index}`,
    platform_id: 'fake',
    channel_id: 'main',
    thread_id: `p${index}`,
    kind: 'thread',
    state: 'active',
    agent_session_id: `agent-${index}`,
    has_begun: 0,
    owner_id: OWNER.id,
    owner_name: OWNER.name,
    working_dir: '/work',
    worktree_json: null,
    permission_mode: 'default',
    mentions_only: 0,
    is_unattended: 0,
    account_id: null,
    title: 'a task',
    facts_json: '{}',
    resume_failures: 0,
    created_us: index,
    active_us: index,
    ended_us: null,
    end_reason: null,
  };
}
