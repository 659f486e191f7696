import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { answering, textOf } from '../testing/fake-agent.ts';
import { OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

const NEWS = '🔄 Postern was restarted.';
/** Without what is said of the restart itself. */
const apartFromNews = (texts: readonly string[]) => texts.filter((text) => !text.startsWith(NEWS));

/** For ever, as far as a test goes. */
const never = new Promise<void>(() => {});

describeEngines('after kill -9', (engine) => {
  test('a message that was only recorded is answered once', async () => {
    const { platform, crash, hears, said, store } = await sessionBench(engine);
    const root = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    // As if the process had gone between recording a second message and looking at it.
    platform.hold();
    const second = await platform.say(OWNER, 'two', { threadId: root.threadId });
    platform.unhold();
    await store.db
      .insertInto('threads_messages')
      .values({
        platform_id: platform.id,
        channel_id: second.channelId,
        post_id: second.postId,
        position: Number.MAX_SAFE_INTEGER - 1,
        thread_id: second.threadId,
        session_id: null,
        author_id: OWNER.id,
        author_name: OWNER.name,
        is_bot: 0,
        hops: 0,
        text: 'two',
        mentions_json: '[]',
        files_json: '[]',
        created_ms: second.createdMs,
        received_us: 1,
        state: 'new',
        agent_uuid: null,
        outcome: null,
      })
      .execute();
    await crash();
    await hears('answer: two', root.threadId);
    expect(apartFromNews(said(root.threadId))).toEqual(['answer: one', 'answer: two']);
  });

  test('messages that waited in the queue are answered once, in order', async () => {
    const { platform, agent, crash, hears, said, fate } = await sessionBench(engine);
    agent.behave(() => never);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await platform.say(OWNER, 'two', { threadId });
    const third = await platform.say(OWNER, 'three', { threadId });
    await expect.poll(() => fate(third.postId), patience).toBe('queued');
    await expect.poll(() => fate(postId), patience).toBe('given');
    agent.behave(answering);
    await crash();
    await hears('answer: three');
    expect(apartFromNews(said(threadId))).toEqual(['answer: one', 'answer: two', 'answer: three']);
  });

  test('a message the agent never took is given again under the same UUID', async () => {
    const { platform, agent, crash, hears } = await sessionBench(engine);
    agent.behave(() => never);
    await platform.say(OWNER, '@postern one');
    await expect.poll(() => agent.processes[0]?.given.length, patience).toBe(1);
    agent.behave(answering);
    await crash();
    await hears('answer: one');
    const [first, second] = agent.processes;
    expect(second!.given.map(({ uuid }) => uuid)).toEqual(first!.given.map(({ uuid }) => uuid));
  });

  test('a turn that was cut off is gone on with, and its message is not given again', async () => {
    const { platform, agent, crash, hears, fate, sessions } = await sessionBench(engine);
    agent.behave(async (turn) => {
      if (turn.text !== 'one') return answering(turn);
      await turn.take();
      await turn.say('half an ans');
    });
    const { postId } = await platform.say(OWNER, '@postern one');
    await hears('half an ans');
    await crash();
    await hears('answer: [Note from the bot');
    const [, second] = agent.processes;
    expect(second!.launch).toMatchObject({
      resume: true,
      agentSessionId: (await sessions())[0]!.agent_session_id,
    });
    expect(second!.given.map(textOf)).toEqual([expect.stringContaining('Go on where you were')]);
    await expect.poll(() => fate(postId), patience).toBe('answered');
  });

  test('an agent that is slow to start is not told to go on with a turn that it never began', async () => {
    const clock = fakeClock();
    const { platform, agent, crash, hears, fate } = await sessionBench(engine, { clock });
    agent.behave(() => never);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => agent.processes[0]?.given.length, patience).toBe(1);
    const slow = Promise.withResolvers<void>();
    agent.behave(async (turn) => {
      await slow.promise;
      await answering(turn);
    });
    await crash();
    await expect.poll(() => agent.processes[1]?.given.length, patience).toBe(1);
    await clock.untilSleeping();
    await clock.advance(60_000);
    slow.resolve();
    await hears('answer: one', threadId);
    await expect.poll(() => fate(postId), patience).toBe('answered');
    expect(agent.processes[1]?.given).toHaveLength(1);
  });

  test('a message the agent took without our knowing is not answered twice, but gone on with', async () => {
    const clock = fakeClock();
    const { platform, agent, crash, hears, said, fate, sessions } = await sessionBench(engine, { clock });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    agent.behave(() => never);
    const { postId } = await platform.say(OWNER, 'two', { threadId });
    await expect.poll(() => fate(postId), patience).toBe('given');
    // It is in the agent's history, and the process is gone before it could be told.
    const [session] = await sessions();
    const [process] = agent.processes;
    await expect.poll(() => process!.given.length, patience).toBe(2);
    agent.histories.get(session!.agent_session_id)!.add(process!.given.at(-1)!.uuid);
    agent.behave(answering);
    await crash();
    await expect.poll(() => agent.processes[1]?.given.length, patience).toBe(1);
    await expect.poll(() => fate(postId), patience).toBe('taken');
    await clock.advance(10_000);
    await hears('answer: [Note from the bot');
    expect(said(threadId).filter((text) => text.includes('two'))).toEqual([]);
    await expect.poll(() => fate(postId), patience).toBe('answered');
  });

  test('a session that had begun before that was on record is resumed', async () => {
    const { platform, agent, crash, hears, fate, sessions } = await sessionBench(engine);
    agent.behave(() => never);
    const { postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('given');
    agent.histories.set((await sessions())[0]!.agent_session_id, new Set());
    agent.behave(answering);
    await crash();
    await hears('answer: one');
    expect(agent.processes.map(({ launch }) => launch.resume)).toEqual([false, false, true]);
  });

  test('a session that waits for nothing is there again', async () => {
    const { platform, agent, crash, hears, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await crash();
    expect((await agent.process(1)).launch.resume).toBe(true);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'active' }]);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(agent.processes).toHaveLength(2);
  });

  test('a session whose agent never began is begun, not resumed', async () => {
    const { platform, agent, crash, hears } = await sessionBench(engine);
    agent.behave(() => never);
    await platform.say(OWNER, '@postern one');
    await expect.poll(() => agent.processes[0]?.given.length, patience).toBe(1);
    agent.behave(answering);
    await crash();
    await hears('answer: one');
    expect(agent.processes.map(({ launch }) => launch.resume)).toEqual([false, false]);
  });
});

describeEngines('a restart in good order', (engine) => {
  test('stops the agents and goes on with them', async () => {
    const { platform, agent, restart, hears, said, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await restart();
    expect(agent.processes[0]!.isGone).toBe(true);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(apartFromNews(said(threadId))).toEqual(['answer: one', 'answer: two']);
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
  });

  test('loses nothing of what an agent says on its way out, and goes on with the turn that was cut off', async () => {
    const { platform, agent, restart, hears, said, fate } = await sessionBench(engine);
    agent.behave(async (turn) => {
      if (turn.text !== 'one') return answering(turn);
      await turn.take();
      await turn.say('half');
    });
    const turn = { errors: [], costUsd: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
    agent.whenStopped(async (process) => {
      await process.emit({ type: 'text', text: 'and a bit more', parentToolUseId: null });
      await process.emit({ type: 'turn_finished', outcome: 'interrupted', ...turn });
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await hears('half');
    await restart();
    await hears('answer: [Note from the bot');
    expect(said(threadId).slice(0, 2)).toEqual(['half', 'and a bit more']);
    await expect.poll(() => fate(postId), patience).toBe('answered');
  });

  test('counts a turn that is finished on the way out', async () => {
    const { platform, agent, restart, hears, said, fate } = await sessionBench(engine);
    agent.behave(async (turn) => void (await turn.take()));
    const turn = { errors: [], costUsd: 0, inputTokens: 0, outputTokens: 0, durationMs: 0 };
    agent.whenStopped(async (process) => {
      await process.emit({ type: 'text', text: 'done', parentToolUseId: null });
      await process.emit({ type: 'turn_finished', outcome: 'success', ...turn });
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('taken');
    await restart();
    expect(await fate(postId)).toBe('answered');
    agent.behave(answering);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(apartFromNews(said(threadId))).toEqual(['done', 'answer: two']);
  });

  test('says of a session that was idle for too long that it is paused', async () => {
    const clock = fakeClock();
    const { platform, agent, crash, hears, fate } = await sessionBench(engine, { clock });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await expect.poll(() => fate(threadId), patience).toBe('answered');
    clock.set(clock.nowMicroseconds() + 31 * 60_000_000);
    await crash();
    await hears('Paused while Postern was away', threadId);
    expect(agent.processes).toHaveLength(1);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
  });

  test('an agent that no longer knows the session begins a new one, and says so', async () => {
    const { platform, agent, restart, hears, said } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    agent.histories.clear();
    await restart();
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(apartFromNews(said(threadId))).toEqual([
      'answer: one',
      expect.stringContaining('no longer knows this session'),
      'answer: two',
    ]);
  });
});

describeEngines('the agent’s own commands', (engine) => {
  test('are known after a restart before the agent has had a turn', async () => {
    const { platform, agent, crash, hears, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await crash();
    await agent.process(1);
    await platform.say(OWNER, '!security-review of it', { threadId });
    await hears('answer: /security-review of it', threadId);
  });
});

describeEngines('the news of a restart', (engine) => {
  const newsIn = (texts: readonly string[]) => texts.filter((text) => text.startsWith(NEWS));

  test('is told once in the thread of a session that goes on, however often nothing happens in between', async () => {
    const { platform, agent, crash, restart, hears, said, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await crash();
    await hears(`${NEWS} This session goes on`, threadId);
    await agent.process(1);
    await crash();
    await agent.process(2);
    await restart();
    await agent.process(3);
    const second = await platform.say(OWNER, 'two', { threadId });
    await expect.poll(() => fate(second.postId), patience).toBe('answered');
    expect(newsIn(said(threadId))).toHaveLength(1);
    await restart();
    await expect.poll(() => newsIn(said(threadId)), patience).toHaveLength(2);
  });

  test('is told first in every session, however many there are and whatever is written meanwhile', async () => {
    const { platform, crash, hears, said, fate } = await sessionBench(engine);
    const roots = [];
    for (const task of ['a', 'b', 'c', 'd']) {
      const root = await platform.say(OWNER, `@postern ${task}`);
      await expect.poll(() => fate(root.postId), patience).toBe('answered');
      roots.push(root);
    }
    platform.hold();
    const written = await Promise.all(roots.map(({ threadId }) => platform.say(OWNER, 'more', { threadId })));
    platform.unhold();
    await crash();
    // While the sessions are brought back, the last of them first.
    await Promise.all(written.map((post) => platform.deliver({ kind: 'posted', post })));
    for (const { threadId } of roots) {
      await hears('answer: more', threadId);
      expect(said(threadId).slice(1)).toEqual([expect.stringContaining(NEWS), 'answer: more']);
    }
  });

  test('says that a turn was cut off, before the agent goes on with it', async () => {
    const { platform, agent, crash, hears, said } = await sessionBench(engine);
    agent.behave(async (turn) => {
      if (turn.text !== 'one') return answering(turn);
      await turn.take();
      await turn.say('half an ans');
    });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('half an ans');
    await crash();
    await hears('answer: [Note from the bot');
    expect(said(threadId)).toEqual([
      'half an ans',
      `${NEWS} The agent was in the middle of a turn, and is told to go on with it.`,
      expect.stringContaining('answer: [Note from the bot'),
    ]);
  });

  test('comes with why the session does not go on', async () => {
    const { platform, folder, crash, hears, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await rm(join(folder, 'work'), { recursive: true });
    await crash();
    const news = await hears(NEWS, threadId);
    expect(news.text).toContain('This session is over: its folder');
  });

  test('comes with why the agent could not be started', async () => {
    const { platform, agent, crash, hears, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    agent.failNextLaunch('rejects');
    await crash();
    expect((await hears(NEWS, threadId)).text).toContain('could not be started');
  });

  test('is not told in a session that hears mentions alone', async () => {
    const { platform, manager, sessions, agent, crash, hears, said } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await manager.actions.changeMentionsOnly((await sessions())[0]!.session_id, true, OWNER);
    await crash();
    await agent.process(1);
    await platform.say(OWNER, '@postern two', { threadId });
    await hears('answer: two');
    expect(newsIn(said(threadId))).toEqual([]);
  });
});
