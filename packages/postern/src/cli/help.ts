import { type Setting, settings } from '../config/settings.ts';
import type { Command, Flag } from './command.ts';
import { commonFlags } from './parse.ts';

/** `postern help`: all commands with their summaries. */
export function overview(commands: readonly Command[], version: string): string {
  const rows = commands.map((command): [string, string] => [usageOf(command), command.summary]);
  return [
    `Postern ${version}: a gate between AI agents and the people they talk to`,
    '',
    'Commands',
    ...columns(rows),
    '',
    'postern help COMMAND tells more about one. Settings come from flags, the environment and postern.yaml, in this order.',
  ].join('\n');
}

/** `postern help <command>` and `<command> --help`. */
export function manual(command: Command): string {
  const parts = [`postern ${usageOf(command)}`, '', `${command.summary}.`];
  if (command.details !== undefined) parts.push('', command.details);
  if (command.aliases !== undefined) {
    parts.push('', `Also called ${command.aliases.map((words) => `postern ${words.join(' ')}`).join(', ')}.`);
  }
  const args = command.arguments ?? [];
  if (args.length > 0) {
    parts.push(
      '',
      'Arguments',
      ...columns(args.map((argument): [string, string] => [argument.name, argument.meaning])),
    );
  }
  parts.push('', 'Flags', ...columns(flagRows({ ...command.flags, ...commonFlags })));
  if (command.words[0] === 'serve') {
    parts.push(
      '',
      'Environment',
      ...columns(settings.map((setting: Setting) => [setting.variable, settingMeaning(setting)])),
    );
  }
  return parts.join('\n');
}

/** `allowlist add SOURCE SENDER_ID [flags]` */
function usageOf(command: Command): string {
  const args = (command.arguments ?? []).map((argument) => argument.name);
  return [...command.words, ...args].join(' ');
}

function settingMeaning(setting: Setting): string {
  return `${setting.meaning} (default: ${setting.default})`;
}

function flagRows(flags: Readonly<Record<string, Flag>>): [string, string][] {
  return Object.entries(flags).map(([name, { value, meaning }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    meaning,
  ]);
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
