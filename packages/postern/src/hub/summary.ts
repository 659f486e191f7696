import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/environment.ts';
import { type Secrets, secretFile } from '../secrets/generated.ts';
import { version } from '../version.ts';
import type { Hub } from './hub.ts';

/**
 * What `postern serve` tells on stdout before it is ready. stdout may end up in a log, so this names files
 * and variables and never a secret; the link is there only when a person looks at a terminal.
 */
export interface SummaryInputs {
  readonly hub: Pick<Hub, 'config' | 'publicUrl'>;
  readonly environment: Environment;
  /** One-time link to the console. */
  readonly link: string | null;
}

const LAUNCHER = fileURLToPath(new URL('../../../../bin/postern.js', import.meta.url));

export function summary({ hub, environment, link }: SummaryInputs): string {
  const { config } = hub;
  const url = hub.publicUrl();
  const where = (name: keyof Secrets, variable: string) =>
    config[name] === null ? secretFile(config.dataDir, name) : givenBy(variable, environment);
  const rows = [
    ['Console', link ?? `${url}/console (postern login makes a link that opens it)`],
    [
      'Data',
      `${config.dataDir} (${config.databaseUrl === null ? 'SQLite' : 'secrets only; state is in PostgreSQL'})`,
    ],
    ['Admin key', where('adminKey', 'POSTERN_ADMIN_KEY')],
    ['Inbox bearer', where('bearerToken', 'AMC_BEARER_TOKEN')],
    [
      'Services',
      `inbox (${config.inbox.connectors.local.enabled ? 'local chat' : 'no platform enabled'}); threads and campaigns are not part of this version`,
    ],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  return [
    `Postern ${version}`,
    ...rows.map(([name = '', text]) => `  ${name.padEnd(width)}  ${text}`),
    '',
    snippets(
      url,
      bearerVariable(
        config.bearerToken === null ? secretFile(config.dataDir, 'bearerToken') : null,
        environment,
      ),
    ),
    '',
  ].join('\n');
}

function givenBy(variable: string, environment: Environment): string {
  if (environment[variable]) return `given in ${variable}`;
  const file = environment[`${variable}_FILE`];
  return file ? file : 'given in the configuration file';
}

/** How an agent's MCP server gets the bearer: from its file where there is one, else from its variable. */
function bearerVariable(
  generatedFile: string | null,
  environment: Environment,
): { name: string; value: string } {
  const file = generatedFile ?? environment.AMC_BEARER_TOKEN_FILE;
  if (file) return { name: 'AMC_BEARER_TOKEN_FILE', value: file };
  return { name: 'AMC_BEARER_TOKEN', value: '$' + '{AMC_BEARER_TOKEN}' };
}

function snippets(url: string, bearer: { name: string; value: string }): string {
  const environment = { AMC_BASE_URL: url, AMC_AGENT_ID: 'assistant', [bearer.name]: bearer.value };
  const command = process.execPath;
  const args = [LAUNCHER, 'mcp', 'inbox'];
  const desktop = { mcpServers: { 'postern-inbox': { command, args, env: environment } } };
  const toml = (value: unknown) => JSON.stringify(value);
  return [
    'Connect an agent (give each its own AMC_AGENT_ID):',
    '  Claude Code',
    `    claude mcp add postern-inbox ${Object.entries(environment)
      .map(([name, value]) => `-e ${name}=${shellQuoted(value)}`)
      .join(' ')} -- ${[command, ...args].map(shellQuoted).join(' ')}`,
    '  Claude Desktop, in claude_desktop_config.json',
    ...JSON.stringify(desktop, null, 2)
      .split('\n')
      .map((line) => `    ${line}`),
    '  Codex CLI, in ~/.codex/config.toml',
    '    [mcp_servers.postern-inbox]',
    `    command = ${toml(command)}`,
    `    args = [${args.map(toml).join(', ')}]`,
    `    env = { ${Object.entries(environment)
      .map(([name, value]) => `${name} = ${toml(value)}`)
      .join(', ')} }`,
  ].join('\n');
}

function shellQuoted(text: string): string {
  if (/^[A-Za-z0-9_./:@=-]+$/.test(text)) return text;
  // A variable must still be filled in by the shell.
  return /^\$\{[A-Z_]+\}$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
