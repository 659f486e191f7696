import type { AgentEvent } from '../agent/agent.ts';
import type { Command } from '../commands/command.ts';
import type { Platform, PostRef } from '../platforms/platform.ts';
import type { Questions } from '../questions/question.ts';

/** What sessions need of the other parts, in the words of sessions. */
export interface SessionJoins {
  readonly questions: Questions;
  readonly commands: CommandBook;
  openOutput(options: OutputOptions): SessionOutput;
  readonly bridge: SessionBridge;
}

/** Where a session's posts go. */
export interface OutputPlace {
  readonly platform: Platform;
  readonly channelId: string;
  /** Null where the whole channel is the session. */
  readonly threadId: string | null;
}

export interface OutputOptions extends OutputPlace {
  readonly sessionId: string;
  readonly workingDir: string;
}

/** Turns what the agent does into posts. */
export interface SessionOutput {
  /** Takes an event; resolves when it may be followed by the next, a finished turn when all of it is posted. */
  handle(event: AgentEvent): Promise<void>;
  /** Resolves when all that was handed over is posted, or given up. */
  settle(): Promise<void>;
  /** Somebody else has posted in the thread. */
  outrun(): void;
  /** Somebody in the session has put a reaction on a post or taken it back. Whether it meant something here. */
  react(ref: PostRef, emoji: string): Promise<boolean>;
  /** Posts what is still held back, and ends. Aborting gives up what the platform does not take at once. */
  close(signal: AbortSignal): Promise<void>;
}

/** The session's way to the tools' server of its agent. */
export interface SessionBridge {
  register(sessionId: string): { readonly socketPath: string; readonly token: string };
  revoke(sessionId: string): void;
}

/** The registry of commands, as the reader of messages uses it. */
export interface CommandBook {
  readonly all: readonly Command[];
  /** Reads the beginning of a message, from which the bot's mention is taken. */
  read(text: string): CommandReading;
}

export type CommandReading =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'unknown';
      readonly word: string;
      readonly nearest: string | null;
      /** All that follows the word. */
      readonly behind: string;
    }
  | {
      readonly kind: 'commands';
      /** In their order; more than one only of the stackable kind. */
      readonly calls: readonly {
        readonly command: Command;
        readonly args: readonly string[];
        readonly rest: string;
      }[];
      /** What follows them: the first prompt. */
      readonly prompt: string;
    };

/** A post of the bot's own, or null when it could not be posted. */
export type Say = (markdown: string, key?: string) => Promise<PostRef | null>;
