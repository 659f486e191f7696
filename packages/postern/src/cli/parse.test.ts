import { describe, expect, test } from 'vitest';
import { UsageError } from './command.ts';
import { commands, manualOf } from './commands.ts';
import { overview } from './help.ts';
import { parseCommandLine } from './parse.ts';

const parse = (line: string) => parseCommandLine(line.split(' '), commands);

test('commands, their short forms, arguments and flags are taken apart', () => {
  expect(parse('serve --port 0 --host=::1').flags).toEqual({ port: '0', host: '::1' });
  const { command, arguments: args, flags } = parse('allow add local anna --name Anna --release');
  expect([command.words, args, flags]).toEqual([
    ['allowlist', 'add'],
    ['local', 'anna'],
    { name: 'Anna', release: true },
  ]);
  expect(parse('agents').command.words).toEqual(['agents', 'list']);
  expect(parse('backup -- --odd').arguments).toEqual(['--odd']);
  expect(parse('--version').command.words).toEqual(['version']);
});

describe('what is wrong is told with what was likely meant', () => {
  test.each([
    ['srve', 'postern srve is no command; did you mean postern serve?'],
    ['agents tokns', 'postern agents tokns is no command; did you mean postern agents tokens?'],
    [
      'agents tokens crate x',
      'postern agents tokens crate is no command; did you mean postern agents tokens create?',
    ],
    ['allow lst', 'postern allow lst is no command; did you mean postern allow list?'],
    ['mcp', 'postern mcp needs one more word: inbox, threads'],
    ['frobnicate', 'postern frobnicate is no command; postern help lists the commands'],
    ['--json doctor', '--json must follow a command; postern help lists them'],
    ['serve --prot 1', 'postern serve: --prot is no flag of it; did you mean --port?'],
    [
      'serve --port',
      'postern serve: --port needs a value: Port to listen on, 0 for a free one (POSTERN_PORT)',
    ],
    ['serve --port 1 --port 2', 'postern serve: --port is given twice'],
    ['doctor --json=yes', 'postern doctor: --json takes no value'],
    ['doctor now', 'postern doctor: does not take "now"; see postern doctor --help'],
    ['backup', 'postern backup: FILE is missing; it is the archive to write'],
  ])('%s', (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(message));
  });
});

test('help lists every command, and each has a manual with its flags', () => {
  const list = overview(commands, '1.2.3');
  for (const command of commands) {
    expect(list).toContain(`  ${command.words.join(' ')}`);
    for (const flag of Object.keys(command.flags ?? {})) {
      expect(manualOf(command.words)).toContain(`--${flag}`);
    }
  }
  expect(manualOf(['serve'])).toContain('POSTERN_DATABASE_URL');
});
