import type { SessionView, WorktreeOutcome, WorktreeView } from '../sessions/session.ts';
import type { Typed } from '../typed.ts';
import type { CommandCall, CommandResult } from './command.ts';
import { type CommandDefinition, type CommandSurroundings, refused, said } from './definition.ts';

/** Words that are no branch, so that nobody gets one of that name by mistake. */
const RESERVED = ['help', 'on', 'switch', 'remove'];
const MOST_SHOWN = 30;
const NO_REPOSITORY = '⚠️ The folder is not in a Git repository.';

function usage(typed: Typed): string {
  return `Write ${typed('worktree <branch>')}, ${typed('worktree off')} to go back to the folder itself, or ${typed('worktree list')}, \`remove <branch>\` or \`cleanup\`.`;
}

export const worktreeCommand: CommandDefinition = {
  name: 'worktree',
  aliases: [],
  usage: '<branch>|switch <branch>|off|list|remove <branch> [--force]|cleanup',
  help: 'Works on a branch in a working tree of its own. In front of a task, the session begins there. Trees that hold work of their own are removed only when told so twice.',
  who: 'allowed',
  isStackable: true,
  needsSession: false,
  isAudited: true,
  takes(words) {
    const [first, , ...behind] = words.map((word) => word.toLowerCase());
    if (first === 'switch') return 2;
    if (first !== 'remove') return 1;
    const flags = behind.findIndex((word) => word !== '--force');
    return 2 + (flags < 0 ? behind.length : flags);
  },
  async run(call, surroundings) {
    const word = call.args[0]?.toLowerCase();
    if (word === 'list') return list(call, surroundings);
    if (word === 'cleanup') return cleanUp(call, surroundings);
    if (word === 'remove') return remove(call, surroundings);
    return use(call);
  },
};

async function use({ session, person, args, setUp, typed, actions }: CommandCall): Promise<CommandResult> {
  const [first, second] = args;
  const branch = first?.toLowerCase() === 'switch' ? second : first;
  if (branch === undefined) {
    const current = session?.worktree;
    return refused(current ? `🌿 The session works on \`${current.branch}\`. ${usage(typed)}` : usage(typed));
  }
  if (RESERVED.includes(branch.toLowerCase())) return refused(usage(typed));
  const isOff = branch.toLowerCase() === 'off';
  if (session === null) {
    setUp.worktreeBranch = isOff ? null : branch;
    return { reply: null, done: true };
  }
  const outcome = isOff
    ? await actions.leaveWorktree(session.id, person)
    : await actions.useWorktree(session.id, branch, person);
  if (!outcome.ok) return refused(`⚠️ ${outcome.reason}`);
  return said(isOff ? '🌿 Back in the folder itself.' : `🌿 Now working on \`${branch}\`.`);
}

async function list(call: CommandCall, surroundings: CommandSurroundings): Promise<CommandResult> {
  const trees = await call.actions.worktrees.list(placeOf(call, surroundings));
  if (trees === null) return refused(NO_REPOSITORY);
  if (trees.length === 0) return said('🌿 No worktree has been made for a session here.');
  return said(`🌿 Worktrees made for sessions:\n${linesOf(trees, call.session)}`);
}

async function cleanUp(call: CommandCall, surroundings: CommandSurroundings): Promise<CommandResult> {
  const outcome = await call.actions.worktrees.clean(placeOf(call, surroundings));
  if (outcome === null) return refused(NO_REPOSITORY);
  const { removed, kept } = outcome;
  const gone =
    removed.length === 0
      ? '🧹 There was no worktree to remove.'
      : `🧹 Removed ${removed.map((branch) => `\`${branch}\``).join(', ')}; the branches are still there.`;
  return said(kept.length === 0 ? gone : `${gone} Kept:\n${linesOf(kept, call.session)}`);
}

async function remove(call: CommandCall, surroundings: CommandSurroundings): Promise<CommandResult> {
  const [, branch, ...flags] = call.args;
  if (branch === undefined || branch.startsWith('--')) return refused(usage(call.typed));
  const outcome = await call.actions.worktrees.remove(
    placeOf(call, surroundings),
    branch,
    flags.length > 0,
    call.person,
  );
  const text = outcomeInWords(outcome, branch.replaceAll('`', ''), call.typed);
  return outcome.kind === 'removed' ? said(text) : refused(text);
}

function outcomeInWords(outcome: WorktreeOutcome, branch: string, typed: Typed): string {
  const again = typed(`worktree remove ${branch} --force`);
  switch (outcome.kind) {
    case 'refused':
      return `⚠️ ${outcome.reason}`;
    case 'removed':
      return `🧹 Removed the worktree of \`${branch}\`. The branch is still there.`;
    case 'holds_work':
      return `⚠️ Nothing was removed: the worktree of \`${branch}\` holds ${workOf(outcome.tree)}. ${again} removes it all the same.`;
    case 'asks_again':
      return `⚠️ The worktree of \`${branch}\` holds ${workOf(outcome.tree)}; what is not committed would be lost for good. Write ${again} once more within two minutes to remove it.`;
  }
}

/** Where its repository is looked for: what the session works in, or the one to come would. */
function placeOf({ session, setUp }: CommandCall, { config }: CommandSurroundings): string {
  return session?.worktree?.repository ?? session?.workingDir ?? setUp.workingDir ?? config.workingDir;
}

function linesOf(trees: readonly WorktreeView[], session: SessionView | null): string {
  const lines = trees.slice(0, MOST_SHOWN).map((tree) => {
    const use = tree.path === session?.worktree?.path ? 'this session' : tree.isUsed ? 'in use' : 'free';
    return `- \`${tree.branch ?? tree.path}\` · ${use} · ${workOf(tree)}`;
  });
  const left = trees.length - lines.length;
  return [...lines, ...(left > 0 ? [`- … and ${left} more`] : [])].join('\n');
}

function workOf({ changed, unpushed }: WorktreeView): string {
  if (changed === null || unpushed === null) return 'work that Git could not tell of';
  const parts = [
    ...(changed === 0 ? [] : [`${changed} ${changed === 1 ? 'file' : 'files'} not committed`]),
    ...(unpushed === 0
      ? []
      : [
          `${unpushed} ${unpushed === 1 ? 'commit' : 'commits'} that ${unpushed === 1 ? 'is' : 'are'} nowhere else`,
        ]),
  ];
  return parts.length === 0 ? 'nothing of its own' : parts.join(' and ');
}
