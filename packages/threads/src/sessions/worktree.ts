import { createHash } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isWithin } from './folders.ts';
import { git } from './git.ts';
import { isFolder } from './launch-facts.ts';
import type { SessionView } from './session.ts';

/** A branch's own working tree beside the repository, so that a session changes nothing under anybody's feet. */

/** Narrower than Git's own rule: nothing that a shell, an option parser or a path could read otherwise. */
const BRANCH = /^(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[A-Za-z0-9][A-Za-z0-9._/-]{0,119}(?<![./])$/;

export type Worktree = NonNullable<SessionView['worktree']>;

export type WorktreeChoice =
  | { readonly ok: true; readonly worktree: Worktree; readonly workingDir: string }
  | { readonly ok: false; readonly reason: string };

export function isBranchName(name: string): boolean {
  return BRANCH.test(name);
}

/**
 * Gives the working tree of a branch of the repository that `from` lies in; branch and tree are made when missing.
 *
 * @param folder where new trees are put.
 */
export async function worktreeFor(from: string, branch: string, folder: string): Promise<WorktreeChoice> {
  if (!isBranchName(branch)) return refused(`\`${branch.replaceAll('`', '')}\` is not a name for a branch.`);
  const top = await git(from, ['rev-parse', '--show-toplevel']);
  if (top === null) return refused('The session’s folder is not in a Git repository.');
  const repository = await realpath(top);
  const below = relative(repository, await realpath(from));
  const home = await homeOfTrees(folder, repository);
  const taken = await treeOf(repository, branch);
  if (taken !== null && !isWithin(taken, home)) {
    return refused(`The branch \`${branch}\` is checked out in another folder already.`);
  }
  const path = taken ?? join(home, branch.replaceAll('/', '--'));
  if (taken === null) {
    const isKnown =
      (await git(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])) !== null;
    const made = await git(
      repository,
      isKnown ? ['worktree', 'add', '--', path, branch] : ['worktree', 'add', '-b', branch, '--', path],
    );
    if (made === null) return refused(`Git could not make a worktree for \`${branch}\`.`);
  }
  return { ok: true, worktree: { branch, path, repository }, workingDir: await folderIn(path, below) };
}

/** The folder in a tree that a session worked in elsewhere; the tree itself where its branch has no such folder. */
async function folderIn(tree: string, below: string): Promise<string> {
  const folder = join(tree, below);
  const real = await realpath(folder).catch(() => null);
  const isThere = real !== null && isWithin(real, await realpath(tree)) && (await isFolder(real));
  return isThere ? folder : tree;
}

function refused(reason: string): WorktreeChoice {
  return { ok: false, reason };
}

/** Where the trees of a repository are put, free of links; made when missing. */
export async function homeOfTrees(folder: string, repository: string): Promise<string> {
  const home = join(folder, folderName(repository));
  await mkdir(home, { recursive: true, mode: 0o700 });
  return realpath(home);
}

/** The main working tree of the repository that a folder lies in, from within any of its trees; null outside of one. */
export async function repositoryOf(from: string): Promise<string | null> {
  const common = await git(from, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return common === null ? null : realpath(dirname(common));
}

/** Repositories of one name in different places have folders of their own. */
function folderName(repository: string): string {
  const mark = createHash('sha256').update(repository).digest('hex').slice(0, 8);
  return `${basename(repository).replaceAll(/[^A-Za-z0-9._-]+/g, '_')}-${mark}`;
}

/** Where a branch is checked out, or null. */
async function treeOf(repository: string, branch: string): Promise<string | null> {
  const list = (await git(repository, ['worktree', 'list', '--porcelain'])) ?? '';
  for (const entry of list.split('\n\n')) {
    const lines = entry.split('\n');
    if (!lines.includes(`branch refs/heads/${branch}`)) continue;
    const path = lines.find((line) => line.startsWith('worktree '));
    if (path !== undefined) return path.slice('worktree '.length);
  }
  return null;
}
