import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { autoMemoryFolder } from './auto-memory.ts';

async function bench() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'auto-memory-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const repository = join(base, 'shop');
  await mkdir(join(repository, 'src'), { recursive: true });
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-q', '--allow-empty', '-m', 'x');
  git('worktree', 'add', '-q', join(base, 'tree'));
  const agentDir = join(base, 'agents');
  const folder = (path: string, channelId = 'C1', platformId = 'main') =>
    autoMemoryFolder(agentDir, { platformId, channelId }, join(base, path));
  return { base, agentDir, folder };
}

test('folders of one repository share it, links and worktrees too, and only this user can enter it', async () => {
  const { base, agentDir, folder } = await bench();
  await symlink(join(base, 'shop'), join(base, 'link'));
  const found = await folder('shop');
  for (const path of ['shop/src', 'link/src', 'tree']) expect(await folder(path)).toBe(found);
  expect(found.startsWith(join(agentDir, 'memory', 'main-'))).toBe(true);
  expect((await stat(found)).mode & 0o777).toBe(0o700);
});

test('every channel, platform and repository has its own, however they are named', async () => {
  const { base, agentDir, folder } = await bench();
  await mkdir(join(base, 'other', 'shop'), { recursive: true });
  const folders = [
    await folder('shop'),
    await folder('other/shop'),
    await folder('shop', 'C2'),
    await folder('shop', 'C1', 'second'),
    await folder('shop', '../C1'),
    await folder('shop', 'local:main'),
    await folder('shop', 'local_main'),
    await folder('shop', '..'),
  ];
  expect(new Set(folders).size).toBe(folders.length);
  for (const path of folders) expect(path.slice(join(agentDir, 'memory').length).split('/')).toHaveLength(4);
});
