/** Configurations to paste, one a client. They hold the secret, since it is shown only once. */

export interface Snippet {
  readonly id: string;
  readonly label: string;
  /** Where it goes. */
  readonly hint: string;
  readonly text: string;
}

interface SnippetInput {
  readonly publicUrl: string;
  /** What starts the inbox's tools over stdio on the server's machine: a program and its arguments. */
  readonly command: readonly string[];
  readonly agentId: string;
  readonly token: string;
}

const NAME = 'postern-inbox';

const SAME_MACHINE = 'It starts Postern’s tools, so it has to be on the machine Postern runs on.';

export function snippetsFor({ publicUrl, command, agentId, token }: SnippetInput): readonly Snippet[] {
  const base = publicUrl.replace(/\/+$/, '');
  const environment = { AMC_BASE_URL: base, AMC_AGENT_ID: agentId, AMC_BEARER_TOKEN: token };
  const address = `${base}/mcp/inbox`;
  const authorization = `Bearer ${token}`;
  const [program = '', ...args] = command;
  const stdio = { command: program, args, env: environment };
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      hint: 'Run in a terminal, in the project that should have it.',
      text: [
        `claude mcp add --transport http ${NAME} ${shellWord(address)}`,
        `  --header ${shellWord(`Authorization: ${authorization}`)}`,
      ].join(' \\\n'),
    },
    {
      id: 'claude-desktop',
      label: 'Claude Desktop',
      hint: `Into claude_desktop_config.json (Settings, Developer, Edit config). ${SAME_MACHINE}`,
      text: JSON.stringify({ mcpServers: { [NAME]: stdio } }, null, 2),
    },
    {
      id: 'codex',
      label: 'Codex CLI',
      hint: `Into ~/.codex/config.toml. ${SAME_MACHINE}`,
      text: [
        `[mcp_servers.${NAME}]`,
        `command = ${tomlString(stdio.command)}`,
        `args = [${stdio.args.map(tomlString).join(', ')}]`,
        '',
        `[mcp_servers.${NAME}.env]`,
        ...Object.entries(environment).map(([name, value]) => `${name} = ${tomlString(value)}`),
      ].join('\n'),
    },
    {
      id: 'http',
      label: 'Others',
      hint: 'For any client that speaks MCP over HTTP, also on another machine.',
      text: JSON.stringify(
        { mcpServers: { [NAME]: { type: 'http', url: address, headers: { Authorization: authorization } } } },
        null,
        2,
      ),
    },
  ];
}

function shellWord(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A JSON string is a TOML basic string. */
function tomlString(value: string): string {
  return JSON.stringify(value);
}
