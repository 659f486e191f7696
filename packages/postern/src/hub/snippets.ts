/** How each agent program is told of an MCP server: ready to paste, without secrets. */

export interface SnippetInputs {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** A variable with a secret that the agent program has to have itself, or null. */
  readonly inherited: string | null;
}

const NAME = 'postern-inbox';

export function snippets(inputs: SnippetInputs): string[] {
  return [
    'Claude Code',
    ...indented(claudeCode(inputs)),
    'Claude Desktop, in claude_desktop_config.json',
    ...indented(claudeDesktop(inputs)),
    'Codex CLI, in ~/.codex/config.toml',
    ...indented(codex(inputs)),
  ];
}

function claudeCode({ command, args, environment, inherited }: SnippetInputs): string {
  const variables = Object.entries(environment).map(([name, value]) => `-e ${name}=${shellQuoted(value)}`);
  // Filled in by the shell that the line is pasted into.
  if (inherited !== null) variables.push(`-e ${inherited}="$${inherited}"`);
  return `claude mcp add ${NAME} ${variables.join(' ')} -- ${[command, ...args].map(shellQuoted).join(' ')}`;
}

function claudeDesktop({ command, args, environment, inherited }: SnippetInputs): string {
  const env = { ...environment, ...(inherited === null ? {} : { [inherited]: placeholder(inherited) }) };
  return JSON.stringify({ mcpServers: { [NAME]: { command, args, env } } }, null, 2);
}

function codex({ command, args, environment, inherited }: SnippetInputs): string {
  const pairs = Object.entries(environment).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    `[mcp_servers.${NAME}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    `env = { ${pairs.join(', ')} }`,
    ...(inherited === null ? [] : [`env_vars = [${JSON.stringify(inherited)}]`]),
  ].join('\n');
}

function placeholder(variable: string): string {
  return `<the value of ${variable}>`;
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`);
}

function shellQuoted(text: string): string {
  return /^[A-Za-z0-9_./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
