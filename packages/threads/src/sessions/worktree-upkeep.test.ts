import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { ALLOWED, OWNER } from '../testing/fake-platform.ts';
import { sessionBench } from '../testing/session-bench.ts';

async function bench(engine: Parameters<typeof sessionBench>[0]) {
  const at = await sessionBench(engine);
  const repository = join(at.folder, 'work');
  const gitIn =
    (cwd: string) =>
    (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
        cwd,
        stdio: 'pipe',
      }).toString();
  const git = gitIn(repository);
  git('init', '-q', '-b', 'main');
  await writeFile(join(repository, 'file.txt'), 'hello');
  git('add', '.');
  git('commit', '-q', '-m', 'Begin');

  /** A session that has worked on a branch and ended; its tree is left. */
  async function leave(
    branch: string,
    work: (tree: string) => Promise<void> | void = () => {},
  ): Promise<string> {
    const index = at.agent.processes.length;
    const { threadId } = await at.platform.say(OWNER, `@postern !worktree ${branch} work on ${branch}`);
    await at.hears(`answer: work on ${branch}`, threadId);
    const tree = (await at.agent.process(index)).launch.workingDir;
    await work(tree);
    await at.platform.say(OWNER, '!stop', { threadId });
    await at.hears('is over', threadId);
    return tree;
  }
  /** The answer to a command. */
  async function ask(text: string, person = OWNER): Promise<string> {
    const { threadId } = await at.platform.say(person, `@postern ${text}`);
    return (await at.hears('', threadId)).text;
  }
  return { ...at, git, gitIn, repository, leave, ask };
}

const change = (tree: string) => writeFile(join(tree, 'new.txt'), 'not committed');

describeEngines('worktrees of sessions', (engine) => {
  test('are listed with who uses them and what they hold, and begin no session', async () => {
    const { platform, hears, leave, ask, gitIn, sessions } = await bench(engine);
    await leave('clean');
    await leave('work', async (tree) => {
      await change(tree);
      gitIn(tree)('commit', '-q', '--allow-empty', '-m', 'More');
    });
    const { threadId } = await platform.say(OWNER, '@postern !worktree used go');
    await hears('answer: go', threadId);
    expect((await ask('!worktree list')).split('\n').slice(1)).toEqual([
      '- `clean` · free · nothing of its own',
      '- `used` · in use · nothing of its own',
      '- `work` · free · 1 file not committed and 1 commit that is nowhere else',
    ]);
    expect(await sessions()).toHaveLength(3);
  });

  test('are removed without their branch', async () => {
    const { leave, ask, git } = await bench(engine);
    const tree = await leave('done');
    expect(await ask('!worktree remove done')).toContain('Removed the worktree of `done`');
    expect(existsSync(tree)).toBe(false);
    expect(git('branch', '--list', 'done')).toContain('done');
  });

  test('with work in them are removed only when that is said outright, twice', async () => {
    const { leave, ask } = await bench(engine);
    const tree = await leave('work', change);
    expect(await ask('!worktree remove work')).toContain('Nothing was removed');
    expect(await ask('!worktree remove work --force')).toContain('once more');
    expect(existsSync(tree)).toBe(true);
    expect(await ask('!worktree remove work --force')).toContain('Removed the worktree');
    expect(existsSync(tree)).toBe(false);
  });

  test('keep what came into them between the two words', async () => {
    const { leave, ask } = await bench(engine);
    const tree = await leave('work', change);
    expect(await ask('!worktree remove work --force')).toContain('1 file not committed');
    await writeFile(join(tree, 'later.txt'), 'newer');
    expect(await ask('!worktree remove work --force')).toContain('2 files not committed');
    expect(existsSync(tree)).toBe(true);
  });

  test('take both words from the same person', async () => {
    const { leave, ask } = await bench(engine);
    const tree = await leave('work', change);
    await ask('!worktree remove work --force');
    expect(await ask('!worktree remove work --force', ALLOWED)).toContain('once more');
    expect(existsSync(tree)).toBe(true);
  });

  test('with commits that are nowhere else count as work; once they are elsewhere, no more', async () => {
    const { leave, ask, gitIn, git } = await bench(engine);
    await leave('ahead', (tree) => void gitIn(tree)('commit', '-q', '--allow-empty', '-m', 'More'));
    expect(await ask('!worktree remove ahead')).toContain('1 commit that is nowhere else');
    git('merge', '-q', 'ahead');
    expect(await ask('!worktree remove ahead')).toContain('Removed');
  });

  test('in use are kept, with force too', async () => {
    const { platform, hears, ask } = await bench(engine);
    const { threadId } = await platform.say(OWNER, '@postern !worktree used go');
    await hears('answer: go', threadId);
    for (const flags of ['', ' --force', ' --force'])
      expect(await ask(`!worktree remove used${flags}`)).toContain('A session works there');
  });

  test('of others are not touched', async () => {
    const { git, folder, ask } = await bench(engine);
    const own = join(folder, 'mine');
    git('worktree', 'add', '-q', '-b', 'mine', own);
    for (const flags of ['', ' --force', ' --force'])
      expect(await ask(`!worktree remove mine${flags}`)).toContain('No session was given a worktree');
    expect(await ask('!worktree list')).toContain('No worktree has been made');
    expect(await ask('!worktree cleanup')).toContain('no worktree to remove');
    expect(existsSync(own)).toBe(true);
    for (const path of ['../mine', '--force', '"-f x"'])
      expect(await ask(`!worktree remove ${path}`)).not.toContain('Removed');
  });

  test('are cleaned up but for those in use and those that hold work', async () => {
    const { platform, hears, leave, ask } = await bench(engine);
    const free = await leave('free');
    const work = await leave('work', change);
    const { threadId } = await platform.say(OWNER, '@postern !worktree used go');
    await hears('answer: go', threadId);
    const said = await ask('!worktree cleanup');
    expect(said).toContain('Removed `free`');
    expect(said).toContain('- `used` · in use');
    expect(said).toContain('- `work` · free · 1 file not committed');
    expect([existsSync(free), existsSync(work)]).toEqual([false, true]);
  });

  test('run no program that the repository names while they are looked at', async () => {
    const { leave, ask, git, folder } = await bench(engine);
    await leave('done');
    const mark = join(folder, 'ran');
    git('config', 'core.fsmonitor', `touch ${mark}; true`);
    expect(await ask('!worktree list')).toContain('- `done`');
    expect(existsSync(mark)).toBe(false);
  });
});
