import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { type Clock, nowMilliseconds } from '@postern/kit';
import type { Store } from '@postern/store';
import type { ThreadsTables } from '../tables.ts';
import { isWithin } from './folders.ts';
import { git } from './git.ts';
import { worktreeOf } from './records.ts';
import type { Actor, WorktreeOutcome, WorktreeView } from './session.ts';
import { homeOfTrees, repositoryOf } from './worktree.ts';

/** Looking after the working trees that sessions were given: nothing is deleted that is nowhere else. */

/** The second word to a deletion that loses work has to come within this. */
const CONFIRM_MS = 120_000;
const MOST_PENDING = 100;
const MOST_LISTED = 100;

export interface WorktreeUpkeep {
  /** The trees made for sessions of the repository that `from` lies in; null where it lies in none. */
  list(from: string): Promise<readonly WorktreeView[] | null>;
  /**
   * Deletes the tree of a branch; the branch stays. With work in it, only when that was asked for outright, twice, by
   * the same person, and with nothing new in it in between.
   */
  remove(from: string, branch: string, isForced: boolean, actor: Actor): Promise<WorktreeOutcome>;
  /** Deletes all trees that nobody uses and that hold nothing of their own. */
  clean(
    from: string,
  ): Promise<{ readonly removed: readonly string[]; readonly kept: readonly WorktreeView[] } | null>;
}

interface Tree extends WorktreeView {
  readonly repository: string;
  /** Of all that is in it beside its last commit. */
  readonly fingerprint: string;
  readonly isLocked: boolean;
}

export function worktreeUpkeep(
  { store, clock }: { readonly store: Store<ThreadsTables>; readonly clock: Clock },
  folder: string,
): WorktreeUpkeep {
  /** Deletions that were asked for once. */
  const asked = new Map<string, { fingerprint: string; untilMs: number }>();

  async function trees(from: string): Promise<Tree[] | null> {
    const repository = await repositoryOf(from);
    if (repository === null) return null;
    const home = await homeOfTrees(folder, repository);
    const listed = (await git(repository, ['worktree', 'list', '--porcelain'])) ?? '';
    const found: Tree[] = [];
    for (const entry of listed.split('\n\n')) {
      const facts = new Map(entry.split('\n').map((line) => splitOnce(line)));
      const path = facts.get('worktree');
      // Others' trees are none of ours, whatever their branches are called.
      if (path === undefined || path === home || !isWithin(path, home)) continue;
      const branch = facts.get('branch')?.replace(/^refs\/heads\//, '') ?? null;
      const state = await stateOf(path, branch);
      const isUsed = await isInUse(path);
      found.push({ repository, path, branch, isUsed, isLocked: facts.has('locked'), ...state });
      if (found.length >= MOST_LISTED) break;
    }
    return found;
  }

  /** By a session that has not ended, in whatever process. */
  async function isInUse(path: string): Promise<boolean> {
    const rows = await store.db
      .selectFrom('threads_sessions')
      .select(['working_dir', 'worktree_json'])
      .where('state', '<>', 'ended')
      .execute();
    return rows.some((row) => worktreeOf(row)?.path === path || isWithin(row.working_dir, path));
  }

  async function drop({ repository, path }: Tree, isForced: boolean): Promise<boolean> {
    const force = isForced ? ['--force'] : [];
    return (await git(repository, ['worktree', 'remove', ...force, '--', path])) !== null;
  }

  /** Whether the same person asks for the same for the second time. */
  function isConfirmed(key: string, fingerprint: string): boolean {
    const now = nowMilliseconds(clock);
    const before = asked.get(key);
    asked.delete(key);
    if (before !== undefined && before.untilMs > now && before.fingerprint === fingerprint) return true;
    asked.set(key, { fingerprint, untilMs: now + CONFIRM_MS });
    const [oldest] = asked.keys();
    if (asked.size > MOST_PENDING && oldest !== undefined) asked.delete(oldest);
    return false;
  }

  return {
    list: trees,
    async remove(from, branch, isForced, actor) {
      const all = await trees(from);
      if (all === null) return { kind: 'refused', reason: 'The folder is not in a Git repository.' };
      const tree = all.find((each) => each.branch === branch);
      if (tree === undefined) {
        return { kind: 'refused', reason: `No session was given a worktree for \`${plain(branch)}\`.` };
      }
      if (tree.isUsed)
        return { kind: 'refused', reason: 'A session works there; it has to end or leave first.' };
      if (tree.isLocked) return { kind: 'refused', reason: 'The worktree is locked in Git.' };
      const isHolding = holdsWork(tree);
      if (isHolding && !isForced) return { kind: 'holds_work', tree };
      if (isHolding && !isConfirmed(JSON.stringify([tree.path, actor.id]), tree.fingerprint)) {
        return { kind: 'asks_again', tree };
      }
      return (await drop(tree, isHolding))
        ? { kind: 'removed', tree }
        : { kind: 'refused', reason: 'Git could not remove the worktree.' };
    },
    async clean(from) {
      const all = await trees(from);
      if (all === null) return null;
      const removed: string[] = [];
      const kept: WorktreeView[] = [];
      for (const tree of all) {
        const isFree = !tree.isUsed && !tree.isLocked && !holdsWork(tree);
        if (isFree && (await drop(tree, false))) removed.push(tree.branch ?? tree.path);
        else kept.push(tree);
      }
      return { removed, kept };
    },
  };
}

/** What cannot be told counts as work. */
function holdsWork({ changed, unpushed }: WorktreeView): boolean {
  return changed !== 0 || unpushed !== 0;
}

async function stateOf(
  path: string,
  branch: string | null,
): Promise<Pick<Tree, 'changed' | 'unpushed' | 'fingerprint'>> {
  if (!(await isThere(path))) return { changed: 0, unpushed: 0, fingerprint: '' };
  const status = await git(path, [
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--ignore-submodules=none',
  ]);
  const diff = await git(path, ['diff', 'HEAD', '--no-ext-diff', '--no-textconv', '--binary']);
  const others = branch === null ? ['--branches'] : [`--exclude=${branch}`, '--branches'];
  const count = await git(path, ['rev-list', '--count', 'HEAD', '--not', '--remotes', ...others]);
  const head = await git(path, ['rev-parse', 'HEAD']);
  return {
    changed: status === null ? null : status.split('\n').filter((line) => line !== '').length,
    unpushed: count === null ? null : Number(count),
    fingerprint: createHash('sha256')
      .update(JSON.stringify([head, status, diff]))
      .digest('hex'),
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await realpath(path);
    return true;
  } catch {
    return false;
  }
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}
