import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { answering, textOf } from '../testing/fake-agent.ts';
import { ALLOWED, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

describeEngines('a command', (engine) => {
  test('!kill, unmentioned and anywhere in the channel, ends all sessions until the next start', async () => {
    const { platform, hears, sessions, fate, restart } = await sessionBench(engine);
    const first = await platform.say(OWNER, '@postern one');
    const second = await platform.say(ALLOWED, '@postern two');
    await hears('answer: two');
    await hears('answer: one');
    await platform.say(STRANGER, '!kill');
    await platform.say(ALLOWED, '!kill');
    await expect.poll(sessions, patience).toMatchObject([{ state: 'ended' }, { state: 'ended' }]);
    await hears('2 sessions were ended by alan. I take no more messages');
    for (const notice of await Promise.all([
      hears('@alan ended all', first.threadId),
      hears('@alan ended all', second.threadId),
    ]))
      expect(notice.text).toBe(
        '🏁 This session is over: @alan ended all sessions here with `!kill`. I take no more messages until my next start.',
      );
    const late = await platform.say(OWNER, '@postern three', { threadId: first.threadId });
    expect(await fate(late.postId)).toBe('not recorded');
    await restart();
    await platform.say(OWNER, '@postern four');
    await hears('answer: four');
  });

  test('!stop ends the session, and only by someone in it', async () => {
    const { platform, hears, said, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(STRANGER, '!stop', { threadId });
    await hears('not on the list', threadId);
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
    await platform.say(OWNER, '!stop', { threadId });
    await hears('This session is over', threadId);
    expect(await sessions()).toMatchObject([{ state: 'ended' }]);
    expect(said(threadId)).toHaveLength(3);
  });

  test('!escape interrupts the turn', async () => {
    const { platform, agent, sessions, fate } = await sessionBench(engine);
    agent.behave(async (turn) => void (await turn.take()));
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('taken');
    await platform.say(OWNER, '!escape', { threadId });
    await expect.poll(sessions, patience).toMatchObject([{ state: 'interrupted' }]);
  });

  test('!cd and !permissions in front of the first prompt set up the session', async () => {
    const { platform, folder, agent, hears } = await sessionBench(engine, {
      behaviour: { permissionMode: 'auto' },
    });
    await mkdir(join(folder, 'work/my app'));
    await platform.say(OWNER, '@postern !cd "my app"\n!permissions default\nfix the bug\nand test it');
    await hears('answer: fix the bug');
    const { launch, given } = await agent.process(0);
    expect(launch).toMatchObject({ workingDir: join(folder, 'work/my app'), permissionMode: 'default' });
    expect(given.map(textOf)).toEqual(['fix the bug\nand test it']);
  });

  test('!cd goes nowhere outside of where sessions may work', async () => {
    const { platform, hears, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern !cd / look around');
    await hears('outside of where sessions may work', threadId);
    expect(await sessions()).toEqual([]);
  });

  test('!cd in a session goes on in the other folder with the session resumed', async () => {
    const { platform, folder, agent, hears } = await sessionBench(engine);
    await mkdir(join(folder, 'work/below'));
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(OWNER, '!cd below', { threadId });
    await hears('Now in', threadId);
    await platform.say(OWNER, 'two', { threadId });
    await hears('answer: two');
    expect(agent.processes[1]!.launch).toMatchObject({
      workingDir: join(folder, 'work/below'),
      resume: true,
    });
    expect(agent.processes[0]!.isGone).toBe(true);
  });

  test('!permissions right after the start begins the agent’s session, and resumes none', async () => {
    const { platform, agent, hears } = await sessionBench(engine, { behaviour: { permissionMode: 'auto' } });
    agent.behave(() => new Promise(() => {}));
    const { threadId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => agent.processes[0]?.given.length, patience).toBe(1);
    agent.behave(answering);
    await platform.say(OWNER, '!permissions default', { threadId });
    await hears('answer: one');
    expect(agent.processes.map(({ launch }) => [launch.permissionMode, launch.resume])).toEqual([
      ['auto', false],
      ['default', false],
    ]);
  });

  test('!permissions never goes beyond the configuration', async () => {
    const { platform, agent, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(OWNER, '!permissions bypass', { threadId });
    await hears('allows no more than', threadId);
    expect(agent.processes).toHaveLength(1);
  });

  test('!compact is handed to the agent as it stands', async () => {
    const { platform, agent, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(ALLOWED, '!compact', { threadId });
    await hears('answer: /compact');
    expect((await agent.process(0)).given.map(textOf)).toEqual(['one', '/compact']);
  });

  test('that there is not is answered with the nearest, and goes to the agent as a message', async () => {
    const { platform, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(OWNER, '!stp', { threadId });
    await hears('Did you mean `!stop`?', threadId);
    await hears('answer: !stp');
    await platform.say(OWNER, '!important do not touch main', { threadId });
    await hears('`!important` is no command of mine', threadId);
    await hears('answer: !important do not touch main');
  });

  test('that there is not begins nothing when it is near to one', async () => {
    const { platform, hears, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern !worktre main fix it');
    await hears('Did you mean `@postern !worktree`?', threadId);
    expect(await sessions()).toEqual([]);
  });

  test('of the agent’s own reaches it with its slash', async () => {
    const { platform, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(ALLOWED, '!security-review the\nwhole tree', { threadId });
    await hears('answer: /security-review the\nwhole tree');
  });

  test('in a code block, a quote or an answer of the agent is none', async () => {
    const { platform, agent, hears, sessions } = await sessionBench(engine);
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say('!stop');
      await turn.say(`said: ${turn.text}`);
      await turn.finish();
    });
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('said: one');
    await platform.say(OWNER, '```\n!stop\n```', { threadId });
    await platform.say(OWNER, '> !stop', { threadId });
    await platform.say(OWNER, '    !stop', { threadId });
    await hears('said:     !stop');
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
  });

  test('!invite lets somebody in, and !kick puts them out again', async () => {
    const { platform, hears, fate } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(OWNER, '!invite @sam', { threadId });
    await hears('is in this session now', threadId);
    await platform.say(STRANGER, 'hello', { threadId });
    await hears('answer: [@sam]: hello');
    await platform.say(OWNER, '!kick @sam', { threadId });
    const late = await platform.say(STRANGER, 'still there?', { threadId });
    await expect.poll(() => fate(late.postId), patience).toBe('held');
  });

  test('is on record with who gave it', async () => {
    const { platform, audit, hears } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(ALLOWED, '!mentions on', { threadId });
    await hears('only messages that mention me', threadId);
    expect(audit.of('command')).toMatchObject([
      { actor: ALLOWED.id, details: { command: 'mentions', done: true } },
    ]);
  });

  test('!worktree works on a branch of its own, and back', async () => {
    const { platform, folder, agent, hears, sessions } = await sessionBench(engine);
    const repository = join(folder, 'work');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
        cwd: repository,
      });
    git('init', '-q', '-b', 'main');
    await writeFile(join(repository, 'file.txt'), 'hello');
    git('add', '.');
    git('commit', '-q', '-m', 'Begin');
    const { threadId } = await platform.say(OWNER, '@postern !worktree feature/x fix it');
    await hears('answer: fix it');
    const { workingDir } = (await agent.process(0)).launch;
    expect(workingDir.startsWith(join(folder, 'agents/worktrees'))).toBe(true);
    expect(await readFile(join(workingDir, 'file.txt'), 'utf8')).toBe('hello');
    expect(git('branch', '--list', 'feature/x').toString()).toContain('feature/x');
    await platform.say(OWNER, '!worktree off', { threadId });
    await hears('Back in the folder itself', threadId);
    expect(await sessions()).toMatchObject([{ working_dir: repository, worktree_json: null }]);
    await platform.say(OWNER, '!worktree feature/x', { threadId });
    await hears('Now working on', threadId);
    expect(await sessions()).toMatchObject([{ working_dir: workingDir }]);
  });

  test.each(['--help', '-b', '../x', 'a..b', 'x.lock', 'a b'])(
    '!worktree takes no branch %j',
    async (branch) => {
      const { platform, folder, hears, sessions } = await sessionBench(engine);
      execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: join(folder, 'work') });
      const { threadId } = await platform.say(OWNER, `@postern !worktree "${branch}" fix it`);
      await hears('is not a name for a branch', threadId);
      expect(await sessions()).toEqual([]);
    },
  );

  test('!worktree begins at the top of a branch that has no such folder', async () => {
    const { platform, folder, hears, sessions } = await sessionBench(engine);
    const repository = join(folder, 'work');
    execFileSync('git', ['init', '-q', repository]);
    await mkdir(join(repository, 'new'));
    await symlink(folder, join(repository, 'linked'));
    const commit = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'one'];
    execFileSync('git', ['add', '.'], { cwd: repository });
    execFileSync('git', commit, { cwd: repository });
    await rm(join(repository, 'linked'));
    await mkdir(join(repository, 'linked'));
    for (const below of ['new', 'linked']) {
      const { threadId } = await platform.say(OWNER, `@postern !cd ${below} !worktree of-${below} go on`);
      await hears('answer: go on', threadId);
      expect((await sessions())[0]!.working_dir).toMatch(new RegExp(`/of-${below}$`));
    }
  });

  test('with worktreeMode prompt, the branch is asked for and typed', async () => {
    const { platform, folder, agent, hears } = await sessionBench(engine, {
      threads: { worktreeMode: 'prompt' },
    });
    const repository = join(folder, 'work');
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: repository });
    const commit = [
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@t.example',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'Begin',
    ];
    execFileSync('git', commit, { cwd: repository });
    const { threadId } = await platform.say(OWNER, '@postern fix it');
    await hears('Work on a branch of its own?', threadId);
    expect(agent.processes).toHaveLength(0);
    await platform.say(OWNER, 'topic', { threadId });
    await hears('answer: fix it');
    expect((await agent.process(0)).launch.workingDir).toContain('worktrees');
  });

  test('with worktreeMode require, nothing begins without a branch', async () => {
    const { platform, hears, sessions } = await sessionBench(engine, {
      threads: { worktreeMode: 'require' },
    });
    const { threadId } = await platform.say(OWNER, '@postern fix it');
    await hears('begin with `@postern !worktree <branch>`', threadId);
    expect(await sessions()).toEqual([]);
  });
});
