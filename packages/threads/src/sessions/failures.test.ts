import { type FakeClock, fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { answering, textOf } from '../testing/fake-agent.ts';
import { OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

/** Lets minute after minute pass until something is said. */
async function pass(clock: FakeClock, said: () => string[], text: string): Promise<void> {
  const afterAMinute = async () => {
    await clock.advance(60_000);
    return said().join('\n');
  };
  await expect.poll(afterAMinute, patience).toContain(text);
}

describeEngines('an agent', (engine) => {
  test('that dies in mid-turn is told in the thread, and the session goes on with the next message', async () => {
    const { platform, agent, hears, fate, sessions } = await sessionBench(engine);
    agent.behave(async (turn) => {
      if (turn.text !== 'one') return answering(turn);
      await turn.take();
      void turn.process.die({ exitCode: 1, errorOutput: 'out of memory' });
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    const notice = await hears('ended without a result', threadId);
    expect(notice.text).toContain('exit code 1');
    expect(notice.text).toContain('out of memory');
    await expect.poll(() => fate(postId), patience).toBe('failed');
    await expect.poll(sessions, patience).toMatchObject([{ state: 'paused' }]);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(agent.processes.map(({ launch }) => launch.resume)).toEqual([false, true]);
    expect(agent.processes[1]!.given.map(textOf)).toEqual(['two']);
  });

  test('that ends again and again before it takes the message is given up, and the thread is told', async () => {
    const { platform, agent, hears, fate, sessions } = await sessionBench(engine);
    agent.behave(async (turn) => void turn.process.die({ exitCode: 3 }));
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await hears('failed 3 times in a row', threadId);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'ended' }]);
    expect(await fate(postId)).toBe('dropped');
    expect(agent.processes).toHaveLength(3);
  });

  test.each(['rejects', 'ends'] as const)(
    'that cannot be started (%s) is told in the thread, and is tried again with the next message',
    async (how) => {
      const { platform, agent, hears, said } = await sessionBench(engine);
      agent.failNextLaunch(how);
      const { threadId } = await platform.say(OWNER, '@postern one');
      await hears('could not be started', threadId);
      await platform.say(OWNER, 'two', { threadId });
      await hears('answer: two');
      expect(said(threadId).slice(1)).toEqual(['answer: one', 'answer: two']);
    },
  );

  test.each([
    ['full', '**Session not started**', '**Session started**'],
    ['minimal', 'Session not started', 'Session started'],
  ])(
    'that cannot be started is told by the %s header too, until it can be',
    async (sessionHeader, no, yes) => {
      const { platform, agent, hears } = await sessionBench(engine, { behaviour: { sessionHeader } });
      agent.failNextLaunch('rejects');
      const { threadId } = await platform.say(OWNER, '@postern one');
      const header = await hears(`⚠️ ${no}`, threadId);
      await platform.say(OWNER, 'two', { threadId });
      expect((await hears(`🧵 ${yes}`, threadId)).postId).toBe(header.postId);
    },
  );

  test('that has begun leaves the header as it is when it cannot be started again', async () => {
    const { platform, agent, hears, said, restart, fate } = await sessionBench(engine, {
      behaviour: { sessionHeader: 'minimal' },
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    agent.failNextLaunch('rejects');
    await restart();
    await hears('could not be started', threadId);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(said(threadId)[0]).toContain('Session started');
  });

  test('whose tools’ server does not start is taken down before it can end without a word', async () => {
    const { platform, agent, hears, sessions } = await sessionBench(engine);
    agent.behave(async (turn) => {
      await turn.take();
      await turn.process.emit({
        type: 'ready',
        model: 'fake',
        tools: [],
        slashCommands: [],
        permissionMode: 'default',
        bridge: 'failed',
      });
    });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('nothing could be approved', threadId);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'paused' }]);
    expect(agent.processes[0]!.isGone).toBe(true);
  });

  test('that goes away between two turns is started again by the next message', async () => {
    const { platform, agent, hears, said, sessions, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await agent.processes[0]!.die({ exitCode: 0 });
    await expect.poll(sessions, patience).toMatchObject([{ state: 'paused' }]);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(said(threadId)).toEqual(['answer: one', 'answer: two']);
  });

  test('is asked for no more turns than there are messages when it takes turns of its own', async () => {
    const { platform, agent, hears, said, fate } = await sessionBench(engine);
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    const [process] = agent.processes;
    const ready = {
      type: 'ready',
      model: 'fake',
      tools: [],
      slashCommands: [],
      permissionMode: 'default',
    } as const;
    await process!.emit({ ...ready, bridge: 'connected' });
    const gate = Promise.withResolvers<void>();
    agent.behave(async (turn) => {
      await gate.promise;
      await answering(turn);
    });
    const second = await platform.say(OWNER, 'two', { threadId });
    await expect.poll(() => fate(second.postId), patience).toBe('given');
    await process!.emit({ type: 'text', text: 'the build is done', parentToolUseId: null });
    await process!.emit({
      type: 'turn_finished',
      outcome: 'success',
      errors: [],
      costUsd: null,
      inputTokens: null,
      outputTokens: null,
      durationMs: null,
    });
    expect(await fate(second.postId)).toBe('given');
    gate.resolve();
    await hears('answer: two');
    expect(said(threadId)).toEqual(['answer: one', 'the build is done', 'answer: two']);
  });
});

describeEngines('the place for sessions', (engine) => {
  test('being full of sessions at work, a mention is told so', async () => {
    const { platform, agent, hears, fate, sessions } = await sessionBench(engine, {
      threads: { limits: { maxSessions: 1 } },
    });
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say('at it');
    });
    await platform.say(OWNER, '@postern one');
    await hears('at it');
    const second = await platform.say(OWNER, '@postern two');
    await hears('I am busy: 1 session', second.threadId);
    await expect.poll(() => fate(second.postId), patience).toBe('busy');
    expect(await sessions()).toHaveLength(1);
  });

  test('being full, the session that is idle the longest makes room, and goes on with its next message', async () => {
    const { platform, agent, audit, hears, fate, sessions } = await sessionBench(engine, {
      threads: { limits: { maxSessions: 2 } },
    });
    const first = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(first.postId), patience).toBe('answered');
    const second = await platform.say(OWNER, '@postern two');
    await expect.poll(() => fate(second.postId), patience).toBe('answered');
    await platform.say(OWNER, '@postern three');
    await hears('answer: three');
    await hears('to make room for another session', first.threadId);
    expect(audit.of('session_paused')).toMatchObject([{ details: { why: 'room' } }]);
    await platform.say(OWNER, 'four', { threadId: first.threadId });
    await hears('answer: four', first.threadId);
    await expect.poll(() => audit.of('session_resumed'), patience).toHaveLength(1);
    await hears('to make room for another session', second.threadId);
    expect((await sessions()).map(({ state }) => state).toSorted()).toEqual(['active', 'active', 'paused']);
    expect((await agent.process(3)).launch).toMatchObject({ resume: true });
  });

  test('being full, a session that has asked something makes no room', async () => {
    const { platform, hears, fate } = await sessionBench(engine, { threads: { limits: { maxSessions: 1 } } });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await platform.say(STRANGER, 'may I?', { threadId });
    await hears('is not in this session', threadId);
    const second = await platform.say(OWNER, '@postern two');
    await hears('I am busy', second.threadId);
  });

  test('being full, a message to a paused session is kept until another is done', async () => {
    const gate = Promise.withResolvers<void>();
    const { platform, agent, hears, fate } = await sessionBench(engine, {
      threads: { limits: { maxSessions: 1 } },
    });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    agent.behave(async (turn) => {
      if (turn.text === 'two') await gate.promise;
      await answering(turn);
    });
    const second = await platform.say(OWNER, '@postern two');
    await expect.poll(() => fate(second.postId), patience).toBe('given');
    await platform.say(OWNER, 'three', { threadId });
    await hears('Your message is kept', threadId);
    gate.resolve();
    await hears('answer: three', threadId);
    await hears('answer: two', second.threadId);
  });

  test('goes to no more than the limit, of many starts at once', async () => {
    const { platform, agent, hears } = await sessionBench(engine, {
      threads: { limits: { maxSessions: 3 } },
    });
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say(`at it: ${turn.text}`);
    });
    const posts = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => platform.say(OWNER, `@postern ${n}`)));
    const answers = await Promise.all(posts.map(({ threadId }) => hears('', threadId)));
    expect(answers.filter(({ text }) => text.startsWith('at it'))).toHaveLength(3);
    expect(answers.filter(({ text }) => text.includes('I am busy'))).toHaveLength(3);
    expect(agent.processes).toHaveLength(3);
  });
});

describeEngines('an idle session', (engine) => {
  test('is warned of, and then paused; a message goes on', async () => {
    const clock = fakeClock();
    const { platform, agent, hears, said, fate, sessions } = await sessionBench(engine, { clock });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await pass(clock, () => said(threadId), 'pauses in 5 minutes');
    await pass(clock, () => said(threadId), 'Paused, since nothing was said');
    expect(await sessions()).toMatchObject([{ state: 'paused' }]);
    expect(agent.processes[0]!.isGone).toBe(true);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
  });

  test('goes on when someone reacts to the notice', async () => {
    const clock = fakeClock();
    const { platform, agent, hears, said, fate, sessions } = await sessionBench(engine, { clock });
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    await pass(clock, () => said(threadId), 'Paused, since nothing was said');
    const notice = await hears('Paused, since nothing was said', threadId);
    await expect
      .poll(async () => JSON.parse((await sessions())[0]!.facts_json).pausedPostId, patience)
      .toBe(notice.postId);
    await platform.reactAs(OWNER, notice, 'arrows_counterclockwise');
    await agent.process(1);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'active' }]);
  });

  test('is not paused while its agent works', async () => {
    const clock = fakeClock();
    const { platform, agent, hears, said } = await sessionBench(engine, { clock });
    const gate = Promise.withResolvers<void>();
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say('at it');
      await gate.promise;
      await turn.say('done');
      await turn.finish();
    });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('at it');
    await clock.advance(3_600_000);
    gate.resolve();
    await hears('done');
    expect(said(threadId)).toEqual(['at it', 'done']);
  });
});
