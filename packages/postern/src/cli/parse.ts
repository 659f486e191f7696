import { parseArgs } from 'node:util';
import { type Command, type Flag, UsageError } from './command.ts';
import { nearest } from './nearest.ts';

export interface ParsedCommand {
  readonly command: Command;
  readonly arguments: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** Flags that every command takes. */
export const commonFlags = {
  config: { value: 'FILE', meaning: 'Configuration file instead of POSTERN_CONFIG or ./postern.yaml' },
  'data-dir': { value: 'DIR', meaning: 'Data folder instead of POSTERN_DATA_DIR' },
  help: { meaning: 'Tells how the command is used' },
} as const satisfies Record<string, Flag>;

/**
 * Finds the command and takes its arguments and flags apart.
 *
 * @throws UsageError with the nearest thing that exists.
 */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): ParsedCommand {
  const { command, rest } = findCommand(argv, commands);
  const flags: Record<string, Flag> = { ...command.flags, ...commonFlags };
  const name = `postern ${command.words.join(' ')}`;
  const parsed = parseFlags(rest, flags, name);
  const expected = command.arguments ?? [];
  if (parsed.flags.help === true) return { command, ...parsed };
  const missing = expected[parsed.arguments.length];
  if (missing !== undefined)
    throw new UsageError(`${name}: ${missing.name} is missing; it is ${missing.meaning}`);
  const [surplus] = parsed.arguments.slice(expected.length);
  if (surplus !== undefined) throw new UsageError(`${name}: does not take "${surplus}"; see ${name} --help`);
  return { command, ...parsed };
}

function findCommand(argv: readonly string[], commands: readonly Command[]) {
  let best: { command: Command; words: readonly string[] } | null = null;
  for (const command of commands) {
    for (const words of callsOf(command)) {
      if (words.length > (best?.words.length ?? 0) && words.every((word, index) => argv[index] === word)) {
        best = { command, words };
      }
    }
  }
  if (best === null) throw unknownCommand(argv, commands);
  const { command, words } = best;
  const next = argv[words.length];
  const isSlip = next !== undefined && !next.startsWith('-') && (command.arguments ?? []).length === 0;
  // `agents tokns` is a slip of `agents tokens`, not `agents` with an argument too many.
  if (isSlip && wordsAfter(words, commands).length > 0) throw unknownCommand(argv, commands);
  return { command, rest: argv.slice(words.length) };
}

/** All sequences of words that call a command. */
function callsOf(command: Command): readonly (readonly string[])[] {
  return [command.words, ...(command.aliases ?? [])];
}

function unknownCommand(argv: readonly string[], commands: readonly Command[]): UsageError {
  const [first = ''] = argv;
  if (first.startsWith('-')) {
    return new UsageError(`${first} must follow a command; postern help lists them`);
  }
  // Words that are right so far are kept; the first one that leads nowhere is the slip.
  const calls = commands.flatMap(callsOf);
  let right: string[] = [];
  for (const word of argv) {
    const longer = [...right, word];
    if (!calls.some((words) => longer.every((candidate, index) => words[index] === candidate))) break;
    right = longer;
  }
  const next = wordsAfter(right, commands);
  const slip = argv[right.length];
  const prefix = ['postern', ...right].join(' ');
  if (slip === undefined || slip.startsWith('-')) {
    return new UsageError(`${prefix} needs one more word: ${next.join(', ')}`);
  }
  const guess = nearest(slip, next);
  const hint = guess === null ? `postern help lists the commands` : `did you mean ${prefix} ${guess}?`;
  return new UsageError(`${prefix} ${slip} is no command; ${hint}`);
}

/** Words that may follow the given ones, each once. */
function wordsAfter(words: readonly string[], commands: readonly Command[]): string[] {
  const longer = commands
    .flatMap(callsOf)
    .filter((call) => call.length > words.length && words.every((word, index) => call[index] === word));
  return [...new Set(longer.map((call) => call[words.length] ?? ''))];
}

function parseFlags(argv: readonly string[], flags: Readonly<Record<string, Flag>>, name: string) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([flag, { value }]) => [
      flag,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(flag === 'help' ? { short: 'h' } : {}),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const found: Record<string, string | boolean> = {};
  const positional: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positional.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = flags[token.name];
    if (flag === undefined) {
      const guess = nearest(token.name, Object.keys(flags));
      const hint = guess === null ? `see ${name} --help` : `did you mean --${guess}?`;
      throw new UsageError(`${name}: ${token.rawName} is no flag of it; ${hint}`);
    }
    if (token.name in found) throw new UsageError(`${name}: --${token.name} is given twice`);
    if (flag.value === undefined && token.value !== undefined) {
      throw new UsageError(`${name}: --${token.name} takes no value`);
    }
    if (flag.value !== undefined && (token.value === undefined || token.value === '')) {
      throw new UsageError(`${name}: --${token.name} needs a value: ${flag.meaning}`);
    }
    found[token.name] = token.value ?? true;
  }
  return { arguments: positional, flags: found };
}
