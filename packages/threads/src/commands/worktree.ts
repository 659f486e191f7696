import { type CommandDefinition, refused, said } from './definition.ts';

const USAGE = 'Write `!worktree <branch>`, or `!worktree off` to go back to the folder itself.';
/** Words that are no branch, so that nobody gets one of that name by mistake. */
const RESERVED = ['list', 'remove', 'cleanup', 'switch', 'help', 'on'];

export const worktreeCommand: CommandDefinition = {
  name: 'worktree',
  aliases: [],
  usage: '<branch>|switch <branch>|off',
  help: 'Works on a branch in a working tree of its own. In front of a task, the session begins there.',
  who: 'allowed',
  isStackable: true,
  needsSession: false,
  isAudited: true,
  takes: ([first]) => (first?.toLowerCase() === 'switch' ? 2 : 1),
  async run({ session, person, args, setUp, actions }) {
    const [first, second] = args;
    const branch = first?.toLowerCase() === 'switch' ? second : first;
    if (branch === undefined) {
      const current = session?.worktree;
      return refused(current ? `🌿 The session works on \`${current.branch}\`. ${USAGE}` : USAGE);
    }
    if (RESERVED.includes(branch.toLowerCase())) return refused(USAGE);
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
  },
};
