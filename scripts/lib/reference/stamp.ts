import { execFileSync } from 'node:child_process';
import { root } from '../paths.ts';

/** What the code is that pages are made from: the short hash of its commit, and whether it was changed since. */
export function commitInWords(): string {
  const commit = git('rev-parse', '--short=7', 'HEAD');
  if (commit === null) return 'commit unknown';
  const isClean = git('status', '--porcelain', '--', 'packages', 'scripts') === '';
  return `commit ${commit}${isClean ? '' : ' with later changes'}`;
}

/** Null where there is no git, or no repository. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
