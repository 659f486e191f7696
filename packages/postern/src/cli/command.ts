import type { Readable } from 'node:stream';
import type { HubConfig, LoadedConfig } from '../config/load.ts';

/** One row of the table of commands: parsing, `postern help` and the reference page all read it. */
export interface Command {
  /** Words that call it, `agents tokens create` as three. */
  readonly words: readonly string[];
  /** Other words for the same. */
  readonly aliases?: readonly (readonly string[])[];
  readonly arguments?: readonly Argument[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** What it does, in one line without a full stop. */
  readonly summary: string;
  /** More for `postern help <command>`, in whole sentences. */
  readonly details?: string;
  run(invocation: Invocation): Promise<number>;
}

export interface Argument {
  readonly name: string;
  readonly meaning: string;
}

export interface Flag {
  /** What follows the flag; none: it takes no value. */
  readonly value?: string;
  readonly meaning: string;
}

/** The world a command acts in, a parameter so that tests can give it another. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** What commands that ask are answered with; the process's own unless given. */
  readonly stdin?: Input;
}

export type Input = Readable & { readonly isTTY?: boolean };

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** A command as it was called. */
export interface Invocation extends Surroundings {
  /** As many as the command has arguments. */
  readonly arguments: readonly string[];
  /** Value of a flag that takes one. */
  option(name: string): string | undefined;
  /** Whether a flag without a value was given. */
  has(name: string): boolean;
  /** @throws ConfigError */
  config(): Promise<LoadedConfig>;
  /** What the hub itself is given, for commands that need none of its services. @throws ConfigError */
  hubConfig(): Promise<HubConfig>;
  /** Writes a line to stdout. */
  say(line: string): void;
  /** Writes a line to stderr. */
  warn(line: string): void;
}

/** Exit codes. */
export const DONE = 0;
export const FAILED = 1;
export const MISUSED = 2;

/** The command line itself is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
