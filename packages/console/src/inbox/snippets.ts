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
  readonly agentId: string;
  readonly token: string;
}

const NAME = 'postern-inbox';

export function snippetsFor({ publicUrl, agentId, token }: SnippetInput): readonly Snippet[] {
  const base = publicUrl.replace(/\/+$/, '');
  const environment = { AMC_BASE_URL: base, AMC_AGENT_ID: agentId, AMC_BEARER_TOKEN: token };
  const stdio = { command: 'postern', args: ['mcp', 'inbox'], env: environment };
  const flags = Object.entries(environment).map(([name, value]) => `-e ${name}=${shellWord(value)}`);
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      hint: 'Run in a terminal, in the project that should have it.',
      text: [`claude mcp add ${NAME}`, ...flags.map((flag) => `  ${flag}`), '  -- postern mcp inbox'].join(
        ' \\\n',
      ),
    },
    {
      id: 'claude-desktop',
      label: 'Claude Desktop',
      hint: 'Into claude_desktop_config.json (Settings, Developer, Edit config).',
      text: JSON.stringify({ mcpServers: { [NAME]: stdio } }, null, 2),
    },
    {
      id: 'codex',
      label: 'Codex CLI',
      hint: 'Into ~/.codex/config.toml.',
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
      label: 'HTTP',
      hint: 'For a client on another machine: no program needed there, only this address and header.',
      text: JSON.stringify(
        {
          mcpServers: {
            [NAME]: {
              type: 'http',
              url: `${base}/mcp/inbox`,
              headers: { Authorization: `Bearer ${token}`, 'X-Agent-ID': agentId },
            },
          },
        },
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
