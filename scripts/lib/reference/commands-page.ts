import { commands } from '../../../packages/postern/src/cli/commands.ts';
import { manual } from '../../../packages/postern/src/cli/help.ts';
import { type Setting, settings } from '../../../packages/postern/src/config/settings.ts';
import { block, table } from './markdown.ts';

/** The commands as `postern help` tells of them, and the settings. */
export function commandsPage(): string {
  const pages = commands.flatMap((command) => [
    `## ${command.words.join(' ')}`,
    '',
    ...block('text', manual(command)),
    '',
  ]);
  const rows = settings.map(({ variable, key, flag, default: usual, meaning }: Setting) => [
    `\`${variable}\``,
    `\`${key}\``,
    flag === undefined ? '' : `\`--${flag}\``,
    usual,
    meaning,
  ]);
  return [
    '# Commands',
    '',
    ...pages,
    '# Settings',
    '',
    ...table(['variable', 'key', 'flag', 'default', 'meaning'], rows),
    '',
  ].join('\n');
}
