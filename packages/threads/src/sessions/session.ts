import type { PermissionMode } from '../agent/agent.ts';
import type { Person } from '../platforms/platform.ts';

/** A session as commands, tools, questions and the console see it. */
export interface SessionView {
  readonly id: string;
  readonly platformId: string;
  readonly channelId: string;
  readonly threadId: string;
  readonly kind: 'thread' | 'channel';
  readonly state: SessionState;
  readonly owner: { readonly id: string; readonly name: string };
  readonly participants: readonly {
    readonly id: string;
    readonly name: string;
    readonly invitedBy: string;
  }[];
  readonly workingDir: string;
  readonly worktree: { readonly branch: string; readonly path: string; readonly repository: string } | null;
  readonly permissionMode: PermissionMode;
  readonly mentionsOnly: boolean;
  readonly isUnattended: boolean;
  readonly title: string | null;
  readonly queued: number;
  /** What people are asked in it and have not decided. */
  readonly openQuestions: number;
  readonly costUsd: number;
  readonly createdMs: number;
  readonly activeMs: number;
  readonly endedMs: number | null;
  readonly endReason: string | null;
}

export type SessionState = 'starting' | 'active' | 'interrupted' | 'paused' | 'ended';

/**
 * What someone is to a session, from the strongest down. `owner` began it; `allowed` is on the platform's list;
 * `guest` was invited into this session; `stranger` is anyone else, a same-named one included.
 */
export type Standing = 'owner' | 'allowed' | 'guest' | 'stranger';

/** What commands, reactions and the console may do to a session. Each is on record with its actor. */
export interface SessionActions {
  view(sessionId: string): Promise<SessionView | null>;
  standing(sessionId: string | null, platformId: string, personId: string): Promise<Standing>;
  /** Stops the turn; the session goes on with the next message. False when nothing was running. */
  interrupt(sessionId: string, actor: Actor): Promise<boolean>;
  /** Ends it for good. */
  end(sessionId: string, reason: string, actor: Actor): Promise<void>;
  /** Ends every session of the platform and stops taking messages until the next start of the process. */
  kill(platformId: string, actor: Actor): Promise<number>;
  /** Goes on in another folder: the agent is started anew there, its session resumed. */
  changeDir(sessionId: string, path: string, actor: Actor): Promise<ChangeOutcome>;
  changePermissionMode(sessionId: string, mode: PermissionMode, actor: Actor): Promise<ChangeOutcome>;
  changeMentionsOnly(sessionId: string, isOn: boolean, actor: Actor): Promise<void>;
  invite(sessionId: string, person: Person, actor: Actor): Promise<ChangeOutcome>;
  /** Takes back an invitation; the owner and allowed users cannot be put out. */
  kick(sessionId: string, person: Person, actor: Actor): Promise<ChangeOutcome>;
  /** Hands text to the agent as it stands, as with its own slash commands. */
  passThrough(sessionId: string, text: string, actor: Actor): Promise<void>;
  /** Answers an open plan as 👍 would. False when none is open. */
  approvePlan(sessionId: string, actor: Actor): Promise<boolean>;
  useWorktree(sessionId: string, branch: string, actor: Actor): Promise<ChangeOutcome>;
  leaveWorktree(sessionId: string, actor: Actor): Promise<ChangeOutcome>;
  readonly worktrees: WorktreeActions;
  /** Slash commands the agent says it has. */
  slashCommands(sessionId: string): Promise<readonly string[]>;
}

/** Looking after the working trees of the repository that the folder `from` lies in; see worktree-upkeep.ts. */
export interface WorktreeActions {
  list(from: string): Promise<readonly WorktreeView[] | null>;
  remove(from: string, branch: string, isForced: boolean, actor: Actor): Promise<WorktreeOutcome>;
  clean(
    from: string,
  ): Promise<{ readonly removed: readonly string[]; readonly kept: readonly WorktreeView[] } | null>;
}

/** A working tree that was made for a session. */
export interface WorktreeView {
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly path: string;
  /** Whether a session that has not ended works in it. */
  readonly isUsed: boolean;
  /** Files that are not committed, untracked ones too; null when it cannot be told. */
  readonly changed: number | null;
  /** Commits that are on no remote and no other branch; null when it cannot be told. */
  readonly unpushed: number | null;
}

export type WorktreeOutcome =
  | { readonly kind: 'removed' | 'holds_work' | 'asks_again'; readonly tree: WorktreeView }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Actor {
  /** A person's id on the platform, or `console:<operator>`, `system`. */
  readonly id: string;
  readonly name: string;
}

/** The product itself. */
export const SYSTEM: Actor = { id: 'system', name: 'system' };

/** Refused with a sentence that says why and what would do. */
export type ChangeOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };
