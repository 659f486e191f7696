import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { inputHash } from '../questions/input-hash.ts';
import { answering, textOf } from '../testing/fake-agent.ts';
import { ALLOWED, OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

describeEngines('a session', (engine) => {
  test('begins with a mention, and answers in the thread', async () => {
    const { platform, hears, sessions, fate } = await sessionBench(engine);
    const root = await platform.say(OWNER, '@postern fix the bug');
    await hears('answer: fix the bug', root.threadId);
    await expect.poll(() => fate(root.postId), patience).toBe('answered');
    expect(await sessions()).toMatchObject([
      { thread_id: root.threadId, owner_id: OWNER.id, state: 'active', has_begun: 1, title: 'fix the bug' },
    ]);
  });

  test('goes on with what is written in its thread, in order', async () => {
    const { platform, agent, hears, said } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await platform.say(OWNER, 'two', { threadId });
    await platform.say(OWNER, 'three', { threadId });
    await hears('answer: three');
    expect(said(threadId)).toEqual(['answer: one', 'answer: two', 'answer: three']);
    expect(agent.processes).toHaveLength(1);
  });

  test('says who writes once there is more than one who does', async () => {
    const { platform, agent, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await platform.say(ALLOWED, 'two', { threadId });
    await platform.say(OWNER, 'three\n[@alan]: four', { threadId });
    await hears('answer: [@olga]');
    const process = await agent.process(0);
    expect(process.given.map(textOf)).toEqual(['one', '[@alan]: two', '[@olga]: three\n\\[@alan]: four']);
  });

  test('leaves out who writes where that is switched off', async () => {
    const { platform, agent, hears } = await sessionBench(engine, { threads: { userAttribution: false } });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await platform.say(ALLOWED, 'two', { threadId });
    await hears('answer: two');
    expect((await agent.process(0)).given.map(textOf)).toEqual(['one', 'two']);
  });

  test('takes a post that is handed over twice once', async () => {
    const { platform, hears, said } = await sessionBench(engine);
    const post = await platform.say(OWNER, '@postern one');
    await platform.deliver({ kind: 'posted', post });
    await hears('answer: one');
    await platform.deliver({ kind: 'posted', post });
    await platform.say(OWNER, 'two', { threadId: post.threadId });
    await hears('answer: two');
    expect(said(post.threadId)).toEqual(['answer: one', 'answer: two']);
  });

  test('takes a reply that arrives before the mention it follows', async () => {
    const { platform, hears, said } = await sessionBench(engine);
    platform.hold();
    const root = await platform.say(OWNER, '@postern one');
    const reply = await platform.say(OWNER, 'two', { threadId: root.threadId });
    platform.unhold();
    await platform.deliver({ kind: 'posted', post: reply });
    await platform.deliver({ kind: 'posted', post: root });
    await hears('answer: two');
    expect(said(root.threadId)).toEqual(['answer: one', 'answer: two']);
  });

  test('drops a message that its author deletes before its turn', async () => {
    const { platform, agent, hears, said, fate } = await sessionBench(engine);
    const gate = Promise.withResolvers<void>();
    agent.behave(async (turn) => {
      if (turn.text === 'one') await gate.promise;
      await answering(turn);
    });
    const { threadId } = await platform.say(OWNER, '@postern one');
    const second = await platform.say(OWNER, 'two', { threadId });
    await platform.say(OWNER, 'three', { threadId });
    await expect.poll(() => fate(second.postId), patience).toBe('queued');
    await platform.deliver({ kind: 'deleted', ref: second });
    gate.resolve();
    await hears('answer: three');
    expect(said(threadId)).toEqual(['answer: one', 'answer: three']);
    expect(await fate(second.postId)).toBe('dropped');
  });

  test('says that its folder is gone, and is over', async () => {
    const { platform, folder, hears, sessions, restart } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await rm(join(folder, 'work'), { recursive: true });
    await restart();
    await hears('does not exist', threadId);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'ended' }]);
  });

  test('another mention in the thread of an ended session begins a new one', async () => {
    const { platform, manager, hears, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const [session] = await sessions();
    await manager.actions.end(session!.session_id, 'done', { id: OWNER.id, name: OWNER.name });
    await hears('This session is over: done', threadId);
    await platform.say(OWNER, '@postern two', { threadId });
    await hears('answer: two', threadId);
    expect(await sessions()).toMatchObject([{ state: 'active' }, { state: 'ended', end_reason: 'done' }]);
  });

  test('ends when its thread is deleted', async () => {
    const { platform, agent, sessions, fate } = await sessionBench(engine);
    const root = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(root.postId), patience).toBe('answered');
    await platform.deleteAs(OWNER, root);
    await expect
      .poll(sessions, patience)
      .toMatchObject([{ state: 'ended', end_reason: 'its thread was deleted' }]);
    expect(agent.processes[0]!.isGone).toBe(true);
  });

  test('ending takes the process down, and whatever waits with it', async () => {
    const { platform, agent, manager, sessions, fate } = await sessionBench(engine);
    agent.behave(async (turn) => void (await turn.take()));
    const root = await platform.say(OWNER, '@postern one');
    const second = await platform.say(OWNER, 'two', { threadId: root.threadId });
    await expect.poll(() => fate(second.postId), patience).toBe('queued');
    await expect.poll(() => fate(root.postId), patience).toBe('taken');
    const [session] = await sessions();
    await manager.actions.end(session!.session_id, 'enough', { id: OWNER.id, name: OWNER.name });
    expect(await fate(root.postId)).toBe('dropped');
    expect(await fate(second.postId)).toBe('dropped');
    expect((await agent.process(0)).isGone).toBe(true);
  });

  test('has each tool its agent uses on record, under the hash that a decision on it has', async () => {
    const { platform, agent, audit, fate } = await sessionBench(engine);
    const input = { command: 'ls', description: 'Lists' };
    agent.behave(async (turn) => {
      await turn.take();
      const use = { id: 'toolu_1', name: 'Bash', input, parentToolUseId: null };
      await turn.process.emit({ type: 'tool_use', ...use });
      await turn.finish();
    });
    const { postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('answered');
    const turned = { description: 'Lists', command: 'ls' };
    expect(audit.of('tool_use')).toMatchObject([
      { tool: 'Bash', details: { toolUseId: 'toolu_1', input_hash: inputHash(turned), isSubagent: false } },
    ]);
  });

  test('an interrupt ends the turn, and the next message goes on in the same process', async () => {
    const { platform, agent, manager, hears, sessions, fate } = await sessionBench(engine);
    agent.behave(async (turn) => {
      if (turn.text === 'long') await turn.take();
      else await answering(turn);
    });
    const root = await platform.say(OWNER, '@postern long');
    await expect.poll(() => fate(root.postId), patience).toBe('taken');
    const [session] = await sessions();
    expect(await manager.actions.interrupt(session!.session_id, OWNER)).toBe(true);
    await expect.poll(sessions, patience).toMatchObject([{ state: 'interrupted' }]);
    expect(await manager.actions.interrupt(session!.session_id, OWNER)).toBe(false);
    await platform.say(OWNER, 'next', { threadId: root.threadId });
    await hears('answer: next');
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
    expect(agent.processes).toHaveLength(1);
  });
});
