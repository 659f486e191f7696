import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandBook } from './book.ts';
import { commandsTable } from './docs.ts';
import { nearestOf } from './nearest.ts';
import { definitions } from './registry.ts';
import { wordsOf } from './words.ts';

const book = commandBook({
  config: { workingDir: '/srv', allowedDirs: [], platforms: [] },
  deniedPaths: [],
});

/** What a message means, with commands by their names. */
function meaning(text: string) {
  const reading = book.read(text);
  if (reading.kind !== 'commands') return reading;
  return {
    calls: reading.calls.map(({ command, args }) => [command.name, ...args]),
    prompt: reading.prompt,
  };
}

const one = (...call: string[]) => ({ calls: [call], prompt: '' });

describe('a command', () => {
  test.each([
    ['!stop', one('stop')],
    ['!STOP', one('stop')],
    ['!cancel', one('stop')],
    ['!interrupt', one('escape')],
    ['!yes', one('approve')],
    ['!stop.', one('stop')],
    ['!kill!', one('kill')],
    ['\n  !help  ', one('help')],
    ['!invite @alan @beth', one('invite', '@alan', '@beth')],
    ['!invite <@U123|al ice>', one('invite', '<@U123|al ice>')],
    ['!cd "/srv/my app"', one('cd', '/srv/my app')],
    ['!cd “/srv/my app”', one('cd', '/srv/my app')],
    ['!cd `/srv/my app`', one('cd', '/srv/my app')],
    ['!cd C:\\srv\\app', one('cd', 'C:\\srv\\app')],
    ['!cd "/srv/open', one('cd', '"/srv/open')],
    ['!compact keep the plan', one('compact', 'keep', 'the', 'plan')],
  ])('%j is one', (text, expected) => {
    expect(meaning(text)).toEqual(expected);
  });

  test.each([
    '',
    '!',
    '!!',
    '! stop',
    'stop',
    'please !stop',
    '> !stop',
    '`!stop`',
    '```\n!stop\n```',
    '    !stop',
    '\t!stop',
    'fix it\n!stop',
    '@alan !stop',
    '!stop: please',
    '!=',
    '!7',
    '/compact',
    '-> !kill',
  ])('%j is none', (text) => {
    expect(meaning(text)).toEqual({ kind: 'none' });
  });

  test.each([
    ['!stpo', 'stpo', 'stop'],
    ['!permisions auto', 'permisions', 'permissions'],
    ['!cancle', 'cancle', 'cancel'],
    ['!important do not touch main', 'important', null],
    ['!recall tea', 'recall', null],
    ['!xy', 'xy', null],
  ])('%j is unknown, the nearest one named', (text, word, nearest) => {
    expect(meaning(text)).toMatchObject({ kind: 'unknown', word, nearest });
  });

  test('in front of a first prompt leaves the prompt, also over several lines', () => {
    expect(meaning('!cd /srv/app fix the bug\nand more\n\nlines')).toEqual({
      calls: [['cd', '/srv/app']],
      prompt: 'fix the bug\nand more\n\nlines',
    });
    expect(meaning('!cd "/srv/my app" go')).toEqual({ calls: [['cd', '/srv/my app']], prompt: 'go' });
    expect(meaning('!cd /srv/app\n!permissions auto !worktree feature/x\n\nfix it')).toEqual({
      calls: [
        ['cd', '/srv/app'],
        ['permissions', 'auto'],
        ['worktree', 'feature/x'],
      ],
      prompt: 'fix it',
    });
    expect(meaning('!worktree switch x fix it')).toEqual({
      calls: [['worktree', 'switch', 'x']],
      prompt: 'fix it',
    });
  });

  test('is not read from a code block, a quotation or another kind of command behind the first', () => {
    for (const prompt of ['```\n!permissions bypass\n```', '> !permissions bypass', '!stop', '!nothing']) {
      expect(meaning(`!cd /srv/app\n${prompt}`)).toEqual({ calls: [['cd', '/srv/app']], prompt });
    }
    expect(meaning('!cd /srv/app\n    !permissions bypass')).toMatchObject({ calls: [['cd', '/srv/app']] });
  });

  test('that says nothing of a branch makes none', () => {
    expect(meaning('explain carbon branch prediction')).toEqual({ kind: 'none' });
    expect(meaning('work on branch prediction')).toEqual({ kind: 'none' });
  });

  test('hands on what stands on later lines, unless nothing can follow it', () => {
    expect(meaning('!escape\ndo this instead')).toEqual({ calls: [['escape']], prompt: 'do this instead' });
    expect(book.read('!stop\nplease')).toMatchObject({ calls: [{ rest: 'please' }], prompt: '' });
  });

  test('is read only at the beginning, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const reading = book.read(text);
        if (reading.kind === 'none') return;
        expect(text).toMatch(/^(?:[^\S\n]*\n)* {0,3}![A-Za-z]/);
      }),
    );
  });

  test('loses nothing of the prompt behind it', () => {
    const argument = fc.stringMatching(/^[a-z/.]{1,12}$/).filter((text) => text !== 'switch');
    const prompt = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.trim());
    fc.assert(
      fc.property(argument, prompt, fc.constantFrom(' ', '\n', '\n\n'), (path, text, gap) => {
        fc.pre(text !== '' && !/^\s*!/.test(text));
        expect(meaning(`!cd ${path}${gap}${text}`)).toEqual({ calls: [['cd', path]], prompt: text });
      }),
    );
  });

  test('is never made of the text of a prompt', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('> ', '`', '```\n', '    ', 'so ', '@al ', '/'),
        fc.string(),
        (start, text) => {
          expect(book.read(`${start}!kill ${text}`)).toEqual({ kind: 'none' });
        },
      ),
    );
  });
});

describe('words', () => {
  test('in quotation marks are one, and come back as they were', () => {
    const word = fc.stringMatching(/^[^\s"'`“„‘«<]([^\s]*)$/);
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.stringMatching(/^[a-z ]{1,9}$/))), (words) => {
        const line = words.map((text) => (/\s/.test(text) ? `"${text}"` : text)).join(' ');
        expect(wordsOf(line).map(({ text }) => text)).toEqual(words);
      }),
    );
  });

  test('end where they end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        let before = 0;
        for (const { end } of wordsOf(line)) {
          expect(end).toBeGreaterThan(before);
          before = end;
        }
        expect(line.slice(before).trim()).toBe('');
      }),
    );
  });
});

describe('the registry', () => {
  test('has each name once, and the commands that are there', () => {
    const names = definitions.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(definitions.map(({ name }) => name).toSorted()).toEqual([
      'approve',
      'cd',
      'compact',
      'context',
      'cost',
      'escape',
      'help',
      'invite',
      'kick',
      'kill',
      'memory',
      'mentions',
      'permissions',
      'remember',
      'routine',
      'routines',
      'stop',
      'watch',
      'watches',
      'worktree',
    ]);
  });

  test('is a table for the reference', () => {
    const lines = commandsTable().split('\n');
    expect(lines).toHaveLength(definitions.length + 2);
    expect(lines).toContain(
      '| `!stop` | `!cancel` | Ends the session for good. | everyone in the session |  | yes |',
    );
    for (const line of lines) expect(line.match(/(?<!\\)\|/g)).toHaveLength(7);
  });

  test('knows the nearest name, and none for what is far from all', () => {
    expect(nearestOf('hlep', ['help', 'stop'])).toBe('help');
    expect(nearestOf('helpp', ['help', 'stop'])).toBe('help');
    expect(nearestOf('banana', ['help', 'stop'])).toBeNull();
  });
});
