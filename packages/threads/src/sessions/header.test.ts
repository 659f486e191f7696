import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

/** Sessions that work in a repository and tell of it at their head. */
async function bench(engine: Engine, threads: object = {}) {
  const at = await sessionBench(engine, {
    threads,
    behaviour: { sessionHeader: 'full', permissionMode: 'auto' },
  });
  const cwd = join(at.folder, 'work');
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@t.example'];
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd });
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin'], { cwd });
  return at;
}

describeEngines('the header', (engine) => {
  test('names the branch of the worktree, and what it is after a change', async () => {
    const { platform, folder, hears, said } = await bench(engine);
    const { threadId } = await platform.say(OWNER, '@postern !worktree feature/x fix it');
    await hears('answer: fix it', threadId);
    const [header = ''] = said(threadId);
    expect(header).toMatch(/Folder `[^`]*feature--x` · branch `feature\/x` · permissions `auto`/);
    await platform.say(OWNER, '!worktree switch topic', { threadId });
    await expect
      .poll(() => said(threadId)[0], patience)
      .toMatch(/Folder `[^`]*topic` · branch `topic` · permissions `auto`/);
    await platform.say(OWNER, '!worktree off\n!permissions default', { threadId });
    await expect
      .poll(() => said(threadId)[0], patience)
      .toContain(`Folder \`${join(folder, 'work')}\` · permissions \`default\`\n`);
  });

  test('names the branch that was asked for', async () => {
    const { platform, hears, said } = await bench(engine, { worktreeMode: 'prompt' });
    const { threadId } = await platform.say(OWNER, '@postern fix it');
    await hears('Work on a branch of its own?', threadId);
    expect(said(threadId)[0]).not.toContain('branch');
    await platform.say(OWNER, 'topic', { threadId });
    await hears('answer: fix it', threadId);
    await expect.poll(() => said(threadId)[0], patience).toContain(' · branch `topic` · ');
  });
});
