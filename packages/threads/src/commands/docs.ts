import type { Standing } from '../sessions/session.ts';
import { signature } from './definition.ts';
import { definitions } from './registry.ts';

const WHO: Readonly<Record<Standing, string>> = {
  owner: 'who began the session',
  allowed: 'the list (allowedUsers) and who began the session',
  guest: 'everyone in the session',
  stranger: 'everybody',
};

/** The commands as a Markdown table, for the reference. */
export function commandsTable(): string {
  const rows = definitions.map((definition) => {
    const { aliases, help, who, isStackable, isAudited } = definition;
    const cells = [
      `\`!${signature(definition)}\``,
      aliases.map((alias) => `\`!${alias}\``).join(', '),
      help,
      WHO[who],
      isStackable ? 'yes' : '',
      isAudited ? 'yes' : '',
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    '| command | or | does | who | before the first prompt | on record |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
