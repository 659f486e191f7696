import { Failure } from '@postern/kit';
import type { ThreadsConfig } from '../config.ts';
import { PlatformError } from '../platforms/platform.ts';
import type { Command, CommandCall, CommandResult } from './command.ts';

/** What commands go by beside the call. */
export interface CommandSurroundings {
  readonly config: Pick<ThreadsConfig, 'workingDir' | 'allowedDirs' | 'platforms'>;
  /** Folders and files no agent may touch. */
  readonly deniedPaths: readonly string[];
}

/** A command as its file has it; {@link bindCommand} makes it one that can be run. */
export interface CommandDefinition extends Omit<Command, 'run'> {
  /**
   * What belongs to it of the words behind its name. `nothing`: it stands alone, and with words behind it, it is
   * asked what was meant. A number: so many words at most; where it is stackable, the first prompt follows them.
   * `all`: its whole line.
   */
  readonly takes: 'nothing' | 'all' | number | ((words: readonly string[]) => number);
  /** Whether nothing can follow it, so that text on later lines is no message but a sign that it was not meant. */
  readonly isLast?: boolean;
  run(call: CommandCall, surroundings: CommandSurroundings): Promise<CommandResult>;
}

export const said = (reply: string): CommandResult => ({ reply, done: true });
export const refused = (reply: string): CommandResult => ({ reply, done: false });
/** Done, and what it did speaks for itself. */
export const silent: CommandResult = { reply: null, done: true };

/** A command with its arguments: `cd <path>`. */
export function signature({ name, usage }: Pick<Command, 'name' | 'usage'>): string {
  return usage === '' ? name : `${name} ${usage}`;
}

export function bindCommand(definition: CommandDefinition, surroundings: CommandSurroundings): Command {
  const { takes, isLast: _, ...command } = definition;
  return {
    ...command,
    async run(call) {
      if (definition.needsSession && call.session === null) {
        return refused('There is no session in this thread.');
      }
      if (takes === 'nothing' && call.rest.trim() !== '') {
        return refused(
          `❓ \`!${definition.name}\` stands alone, so nothing was done. Write only ${call.typed(definition.name)}, or leave out the exclamation mark to tell it to the agent.`,
        );
      }
      if (typeof takes === 'number' && call.args.length > takes) {
        return refused(`❓ Nothing was done. It is written ${call.typed(signature(definition))}.`);
      }
      try {
        return await definition.run(call, surroundings);
      } catch (error) {
        // The session has ended meanwhile, or the platform does not answer: sentences for people.
        if (error instanceof Failure || error instanceof PlatformError) return refused(`⚠️ ${error.message}`);
        throw error;
      }
    },
  };
}
