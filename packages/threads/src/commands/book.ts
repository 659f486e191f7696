import type { CommandBook, CommandReading } from '../sessions/joins.ts';
import { bindCommand, type CommandDefinition, type CommandSurroundings } from './definition.ts';
import { nearestOf } from './nearest.ts';
import { definitions } from './registry.ts';
import { wordsOf } from './words.ts';

/** The commands, ready to be read from messages and run. */
export function commandBook(surroundings: CommandSurroundings): CommandBook {
  const bound = definitions.map((definition) => ({
    definition,
    command: bindCommand(definition, surroundings),
  }));
  const byName = new Map(
    bound.flatMap((each) =>
      [each.definition.name, ...each.definition.aliases].map((name) => [name, each] as const),
    ),
  );
  const names = [...byName.keys()];
  return {
    all: bound.map(({ command }) => command),
    read(text) {
      const calls: Extract<CommandReading, { kind: 'commands' }>['calls'][number][] = [];
      let rest = text;
      for (;;) {
        const head = headOf(rest);
        if (head === null) break;
        const found = byName.get(head.name);
        if (found === undefined) {
          if (calls.length > 0) break;
          return {
            kind: 'unknown',
            word: head.name,
            nearest: nearestOf(head.name, names),
            behind: head.behind,
          };
        }
        const { definition, command } = found;
        if (calls.length > 0 && !definition.isStackable) break;
        const taken = takeArguments(definition, head.behind);
        calls.push({ command, args: taken.args, rest: taken.rest });
        rest = taken.behind;
        if (!definition.isStackable) break;
      }
      return calls.length === 0 ? { kind: 'none' } : { kind: 'commands', calls, prompt: rest.trim() };
    },
  };
}

/**
 * `!name` at the beginning of a text: at most three spaces before it, since four make a code block, and nothing but
 * white space behind it, or a full stop at the end of the line.
 */
const HEAD = /^(?:[^\S\n]*\n)* {0,3}!(?<name>[A-Za-z][\w-]{0,39})(?:[.!]+(?=\s*(?:\n|$)))?(?=\s|$)/;

function headOf(text: string): { readonly name: string; readonly behind: string } | null {
  const match = HEAD.exec(text);
  const name = match?.groups?.name;
  return match === null || name === undefined
    ? null
    : { name: name.toLowerCase(), behind: text.slice(match[0].length) };
}

interface Taken {
  readonly args: readonly string[];
  /** As typed. */
  readonly rest: string;
  readonly behind: string;
}

function takeArguments({ takes, isStackable, isLast }: CommandDefinition, behind: string): Taken {
  const lineEnd = behind.indexOf('\n') < 0 ? behind.length : behind.indexOf('\n');
  const line = behind.slice(0, lineEnd);
  const words = wordsOf(line);
  const texts = words.map(({ text }) => text);
  if (isStackable && takes !== 'all' && takes !== 'nothing') {
    const args = texts.slice(0, typeof takes === 'number' ? takes : takes(texts));
    const end = words[args.length - 1]?.end ?? 0;
    // On the same line the indentation of what follows means nothing.
    return { args, rest: behind.slice(0, end).trim(), behind: behind.slice(end).replace(/^[^\S\n]+/, '') };
  }
  if (isLast === true) return { args: texts, rest: behind.trim(), behind: '' };
  return { args: texts, rest: line.trim(), behind: behind.slice(lineEnd) };
}
