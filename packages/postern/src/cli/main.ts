import process from 'node:process';
import { ConfigError } from '../config/problem.ts';
import { Refusal } from '../secrets/data-folder.ts';
import { DONE, FAILED, type Invocation, MISUSED, type Surroundings, UsageError } from './command.ts';
import { commands, manualOf } from './commands.ts';
import { manual } from './help.ts';
import { type ParsedCommand, parseCommandLine } from './parse.ts';

/** Errors whose message is written for the operator; their classes stand in packages loaded only when needed. */
const PLAIN_ERRORS = new Set(['DataFolderLockedError', 'DatabaseTooNewError', 'DataFolderError']);

/** Runs `postern <argv>` and answers its exit code: 0 done, 1 failed, 2 called in a wrong way. */
export async function main(
  argv: readonly string[],
  surroundings: Surroundings = thisProcess(),
): Promise<number> {
  const complain = (line: string) => surroundings.stderr.write(`postern: ${line}\n`);
  try {
    if (argv[0] === 'help' && argv.length > 1) {
      surroundings.stdout.write(`${manualOf(argv.slice(1))}\n`);
      return DONE;
    }
    const parsed = parseCommandLine(argv.length === 0 ? ['help'] : argv, commands);
    if (parsed.flags.help === true) {
      surroundings.stdout.write(`${manual(parsed.command)}\n`);
      return DONE;
    }
    return await parsed.command.run(invocationOf(parsed, surroundings));
  } catch (error) {
    if (error instanceof UsageError) {
      complain(error.message);
      return MISUSED;
    }
    if (
      error instanceof ConfigError ||
      error instanceof Refusal ||
      (error instanceof Error && PLAIN_ERRORS.has(error.name))
    ) {
      complain(error.message);
      return FAILED;
    }
    complain(`unexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return FAILED;
  }
}

function invocationOf({ arguments: args, flags }: ParsedCommand, surroundings: Surroundings): Invocation {
  const option = (name: string) => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const sources = {
    environment: surroundings.environment,
    workingDirectory: surroundings.workingDirectory,
    flags: Object.fromEntries(Object.keys(flags).map((name) => [name, option(name)])),
  };
  // Brings the services' own sections along, which help and version can do without.
  const loader = () => import('../config/load.ts');
  return {
    ...surroundings,
    arguments: args,
    option,
    has: (name) => flags[name] === true,
    config: async () => (await loader()).loadConfig(sources),
    hubConfig: async () => (await loader()).loadHubConfig(sources).config,
    say: (line) => void surroundings.stdout.write(`${line}\n`),
    warn: (line) => void surroundings.stderr.write(`${line}\n`),
  };
}

function thisProcess(): Surroundings {
  // `postern doctor | head` closes the pipe early, which is no fault.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    environment: process.env,
    workingDirectory: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
  };
}
