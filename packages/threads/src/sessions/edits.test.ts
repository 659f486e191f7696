import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { answering, textOf } from '../testing/fake-agent.ts';
import { OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

/** A repository in which a worktree takes until `go` is called to be made. */
async function slowWorktrees(folder: string) {
  const work = join(folder, 'work');
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@t.example'];
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: work });
  await writeFile(join(work, '.gitattributes'), 'slow.txt filter=slow\n');
  await writeFile(join(work, 'slow.txt'), 'checked out slowly\n');
  execFileSync('git', ['add', '.'], { cwd: work });
  execFileSync('git', [...author, 'commit', '-q', '-m', 'Begin'], { cwd: work });
  const [begun, gone] = [join(folder, 'begun'), join(folder, 'go')];
  const wait = `touch '${begun}'; while [ ! -e '${gone}' ]; do sleep 0.05; done; cat`;
  execFileSync('git', ['config', 'filter.slow.smudge', wait], { cwd: work });
  return {
    untilBegun: () => expect.poll(() => existsSync(begun), patience).toBe(true),
    go: () => writeFile(gone, ''),
  };
}

describeEngines('an edit of a message that is being read', (engine) => {
  test('gives the session that it starts the new text', async () => {
    const { platform, folder, agent, hears, sessions } = await sessionBench(engine);
    const { untilBegun, go } = await slowWorktrees(folder);
    const post = await platform.say(OWNER, '@postern !worktree topic\nold');
    await untilBegun();
    await platform.editAs(OWNER, post, '@postern !worktree topic\nnew');
    await go();
    await hears('answer: new', post.threadId);
    expect((await agent.process(0)).given.map(textOf)).toEqual(['new']);
    expect(await sessions()).toHaveLength(1);
  });

  test('gives the session that it steers the new text, and carries its commands out once', async () => {
    const { platform, folder, agent, audit, hears } = await sessionBench(engine);
    const { untilBegun, go } = await slowWorktrees(folder);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const post = await platform.say(OWNER, '!worktree topic\nold', { threadId });
    await untilBegun();
    await platform.editAs(OWNER, post, '!worktree other\nnew');
    await go();
    await hears('answer: new', threadId);
    expect(agent.processes.flatMap(({ given }) => given.map(textOf))).toEqual(['one', 'new']);
    expect(audit.of('command')).toHaveLength(1);
  });

  test('that takes it back begins nothing', async () => {
    const { platform, folder, agent, fate, hears, sessions } = await sessionBench(engine);
    const { untilBegun, go } = await slowWorktrees(folder);
    const post = await platform.say(OWNER, '@postern !worktree topic\nold');
    await untilBegun();
    await platform.deleteAs(OWNER, post);
    await go();
    await platform.say(OWNER, '@postern another');
    await hears('answer: another');
    expect(await fate(post.postId)).toBe('dropped');
    expect(await sessions()).toHaveLength(1);
    expect(agent.processes).toHaveLength(1);
  });
});

describeEngines('an edit of a message that waits', (engine) => {
  /** A session in a turn that ends when `go` is called, so that what is written meanwhile waits. */
  async function busy() {
    const bench = await sessionBench(engine);
    const gate = Promise.withResolvers<void>();
    bench.agent.behave(async (turn) => {
      if (turn.text === 'one') await gate.promise;
      await answering(turn);
    });
    const { threadId, postId } = await bench.platform.say(OWNER, '@postern one');
    await expect.poll(() => bench.fate(postId), patience).toBe('given');
    const write = async (text: string, person = OWNER) => {
      const post = await bench.platform.say(person, text, { threadId });
      await expect.poll(() => bench.fate(post.postId), patience).toMatch(/queued|held/);
      return post;
    };
    const given = async () => (await bench.agent.process(0)).given.map(textOf);
    return { ...bench, threadId, write, given, go: gate.resolve };
  }

  test('gives the agent the new text', async () => {
    const { platform, write, given, hears, go } = await busy();
    const two = await write('two');
    await platform.editAs(OWNER, two, '@postern two and a half');
    go();
    await hears('answer: two and a half');
    expect(await given()).toEqual(['one', 'two and a half']);
  });

  test('keeps the commands that were carried out with it away from the agent', async () => {
    const { platform, write, given, hears, go } = await busy();
    const two = await write('!permissions default\ntwo');
    await platform.editAs(OWNER, two, '!permissions default\nthree');
    go();
    await hears('answer: three');
    expect(await given()).toEqual(['one', 'three']);
  });

  test('that makes a command of it is not carried out, and the thread is told', async () => {
    const { platform, write, given, hears, sessions, threadId, go } = await busy();
    const two = await write('two');
    await platform.editAs(OWNER, two, '!stop');
    await hears('An edit runs no command', threadId);
    go();
    await hears('answer: two');
    expect(await given()).toEqual(['one', 'two']);
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
  });

  test('changes nothing of what somebody else has let in, before or after that', async () => {
    const { platform, write, hears, fate, given, threadId, go } = await busy();
    const two = await write('two', STRANGER);
    const card = await hears('is not in this session', threadId);
    await platform.editAs(STRANGER, two, 'delete everything');
    await platform.reactAs(OWNER, card, '+1');
    await expect.poll(() => fate(two.postId), patience).toBe('queued');
    await platform.editAs(STRANGER, two, 'delete everything');
    go();
    await hears('answer: [@sam]: two');
    expect(await given()).toEqual(['one', '[@sam]: two']);
  });

  test('comes too late once the agent has the message', async () => {
    const { platform, write, given, hears, fate, go } = await busy();
    const two = await write('two');
    go();
    await hears('answer: two');
    await platform.editAs(OWNER, two, 'three');
    await expect.poll(() => fate(two.postId), patience).toBe('answered');
    expect(await given()).toEqual(['one', 'two']);
  });
});
