import type { ChannelMemory } from '../memory/channel-memory.ts';
import type { Platform, Post } from '../platforms/platform.ts';
import type { SessionActions, SessionView, Standing } from '../sessions/session.ts';
import type { Typed } from '../typed.ts';
import type { TaskDesk } from '../unattended/desk.ts';

/** One row of the registry: parser, `!help`, the system prompt's list and the audit all read it. */
export interface Command {
  /** Without the exclamation mark. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** How its arguments are written in the help: `<path>`, `[on|off]`. */
  readonly usage: string;
  /** A short sentence. */
  readonly help: string;
  /** Least standing that may use it. */
  readonly who: Standing;
  /** Whether it may stand in front of a first prompt, and together with others of the kind. */
  readonly isStackable: boolean;
  /** Whether it needs a session in the thread. */
  readonly needsSession: boolean;
  /** What has to be on in the platform's configuration; elsewhere it is not told of. */
  readonly feature?: 'routines' | 'watches';
  /** Whether it is recorded in the audit log. */
  readonly isAudited: boolean;
  run(call: CommandCall): Promise<CommandResult>;
}

export interface CommandCall {
  readonly platform: Platform;
  /** Null where the thread has no session; stackable commands then only set up the one to come. */
  readonly session: SessionView | null;
  readonly post: Post;
  readonly person: { readonly id: string; readonly name: string; readonly standing: Standing };
  /** Quoted arguments are one; mention forms stand as typed. */
  readonly args: readonly string[];
  /** Everything after the command's name on its line, as typed. */
  readonly rest: string;
  /** How a command is typed where the call was made, for what the reply tells people to write. */
  readonly typed: Typed;
  /** What the session to come will be started with; stackable commands change it. */
  readonly setUp: SessionSetUp;
  readonly actions: SessionActions;
  /** Routines and watches of the platform. */
  readonly tasks: TaskDesk;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Null where memory is off. */
  readonly memory: ChannelMemory | null;
}

export interface SessionSetUp {
  workingDir: string | null;
  permissionMode: 'default' | 'auto' | 'bypass' | null;
  worktreeBranch: string | null;
}

/** What is said in the thread; null says nothing (the action has spoken). */
export interface CommandResult {
  readonly reply: string | null;
  /** Whether the command was carried out, for the audit. */
  readonly done: boolean;
}
