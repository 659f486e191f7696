import { type Environment, variable } from '../config/environment.ts';
import type { Config } from '../config/load.ts';
import { type Secrets, secretFile } from '../secrets/generated.ts';
import { version } from '../version.ts';
import { inboxCommand } from './launcher.ts';
import { type SnippetInputs, snippets } from './snippets.ts';

export interface SummaryInputs {
  readonly config: Config;
  readonly publicUrl: string;
  readonly environment: Environment;
  /** One-time link to the console; only for a person who looks at a terminal. */
  readonly link: string | null;
}

const VARIABLES: Readonly<Record<keyof Secrets, string>> = {
  adminKey: 'POSTERN_ADMIN_KEY',
  bearerToken: 'AMC_BEARER_TOKEN',
};

/**
 * What `postern serve` tells on stdout before it is ready. stdout may end up in a log, so this names files
 * and variables and never a secret. The link comes last, since what came before may have left the screen.
 */
export function summary({ config, publicUrl, environment, link }: SummaryInputs): string {
  const transport = config.campaigns.smtp.length > 0 ? 'sent by SMTP' : 'mail is captured, not sent';
  const rows: readonly [string, string][] = [
    [
      'Console',
      `${publicUrl}/console${link === null ? ' (npx postern login makes a link that opens it)' : ''}`,
    ],
    [
      'Data',
      `${config.dataDir} (${config.databaseUrl === null ? 'SQLite' : 'secrets; the rest is in PostgreSQL'})`,
    ],
    ['Admin key', secretPlace('adminKey', config, environment).text],
    ['Inbox bearer', secretPlace('bearerToken', config, environment).text],
    [
      'Services',
      `inbox (${platformsInWords(config)}), campaigns (${transport}) and ${threadsInWords(config)}`,
    ],
    [
      'Campaigns',
      `${publicUrl}/mcp for agents, ${publicUrl}/api/v1/docs for programs; npx postern keys create makes a key`,
    ],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `Postern ${version}`,
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
    '',
    'Connect an agent (give each its own AMC_AGENT_ID):',
    ...snippets(snippetInputs(config, publicUrl, environment)).map((line) => `  ${line}`),
    '',
    ...(link === null
      ? []
      : ['Open the console with this link, once and within 15 minutes:', `  ${link}`, '']),
  ].join('\n');
}

function platformsInWords({ inbox: { connectors } }: Config): string {
  const names = [
    connectors.local.enabled ? 'local chat' : null,
    connectors.discord ? 'Discord' : null,
    connectors.imessage.enabled ? 'iMessage' : null,
  ].filter((name) => name !== null);
  return names.length === 0 ? 'no platform is enabled' : names.join(', ');
}

function threadsInWords({ threads }: Config): string {
  if (threads === null)
    return 'threads (off: postern.yaml has no threads section; npx postern init makes one)';
  return `threads (${threads.platforms.map(({ id, type }) => (id === type ? id : `${id} on ${type}`)).join(', ')})`;
}

/** Where a secret is, in words, and its file when it has one. */
function secretPlace(
  name: keyof Secrets,
  config: Config,
  environment: Environment,
): { text: string; file: string | null } {
  if (config[name] === null) {
    const file = secretFile(config.dataDir, name);
    return { text: file, file };
  }
  const file = variable(environment, `${VARIABLES[name]}_FILE`) ?? null;
  if (file !== null) return { text: file, file };
  const isGiven = variable(environment, VARIABLES[name]) !== undefined;
  return { text: `given ${isGiven ? `in ${VARIABLES[name]}` : 'by the configuration file'}`, file: null };
}

function snippetInputs(config: Config, publicUrl: string, environment: Environment): SnippetInputs {
  const { file } = secretPlace('bearerToken', config, environment);
  const [command, ...args] = inboxCommand;
  return {
    command,
    args,
    environment: {
      AMC_BASE_URL: publicUrl,
      AMC_AGENT_ID: 'assistant',
      ...(file === null ? {} : { AMC_BEARER_TOKEN_FILE: file }),
    },
    // Without a file the agent's own environment has to bring it along.
    inherited: file === null ? 'AMC_BEARER_TOKEN' : null,
  };
}
