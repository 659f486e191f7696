/**
 * What of this process's environment the agent gets. Everything the agent runs can read it, so it is a list of
 * what is let through, and the product's own variables are not on it.
 */

const NAMES = new Set([
  ...['PATH', 'HOME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'SHELL', 'USER', 'LOGNAME'],
  // Windows: without these hardly a program starts.
  ...['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PATHEXT', 'WINDIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  // Settings of the CLI that do not bear its name.
  ...['BASH_DEFAULT_TIMEOUT_MS', 'BASH_MAX_TIMEOUT_MS', 'ENABLE_TOOL_SEARCH', 'IS_SANDBOX'],
  ...['MAX_MCP_OUTPUT_TOKENS', 'MAX_THINKING_TOKENS', 'USE_BUILTIN_RIPGREP'],
]);
const PREFIXES = ['ANTHROPIC_', 'CLAUDE_', 'LC_', 'XDG_'];

/** Credentials of the clouds that serve models, only where the CLI is told to use them. */
const CLOUDS = [
  { switch: 'CLAUDE_CODE_USE_BEDROCK', prefixes: ['AWS_'] },
  { switch: 'CLAUDE_CODE_USE_VERTEX', prefixes: ['GOOGLE_', 'GCLOUD_', 'CLOUD_ML_', 'VERTEX_'] },
];

/** They tell of the session this very process may have been started from, and would confuse another one. */
const OF_ANOTHER_SESSION = new Set([
  ...['CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_CHILD_SESSION', 'CLAUDE_CODE_CHILD_NOTES_DIR'],
  ...['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_PROJECT_DIR', 'CLAUDE_PATH'],
]);

/** They would lead the CLI's own memory elsewhere than its settings say. */
const OF_MEMORY = new Set(['CLAUDE_COWORK_MEMORY_PATH_OVERRIDE', 'CLAUDE_CODE_REMOTE_MEMORY_DIR']);

const LOGINS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

export type Environment = Readonly<Record<string, string>>;

/** Which login of the CLI is used: another home with a login of its own, a key, or null for the operator's own. */
export type Login = { readonly home: string } | { readonly apiKey: string } | null;

/** @param run Marks every process that comes of the launch; see leftovers.ts. */
export function agentEnvironment(from: NodeJS.ProcessEnv, login: Login, run: string): Environment {
  const prefixes = [
    ...PREFIXES,
    ...CLOUDS.flatMap((cloud) => (isSet(from[cloud.switch]) ? cloud.prefixes : [])),
  ];
  const environment: Record<string, string> = {
    // The task list is a part of the thread; some versions leave its tools out when nobody sits at a terminal.
    CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
  };
  for (const [name, value] of Object.entries(from)) {
    const upper = name.toUpperCase();
    const isLetThrough = NAMES.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
    if (value !== undefined && isLetThrough && !OF_ANOTHER_SESSION.has(upper) && !OF_MEMORY.has(upper))
      environment[name] = value;
  }
  if (login !== null) for (const name of LOGINS) delete environment[name];
  if (login !== null && 'apiKey' in login) environment.ANTHROPIC_API_KEY = login.apiKey;
  if (login !== null && 'home' in login) {
    // A folder of settings that is named outright would win over the home.
    delete environment.CLAUDE_CONFIG_DIR;
    environment.HOME = login.home;
    environment.USERPROFILE = login.home;
  }
  return {
    ...environment,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    MCP_CONNECTION_NONBLOCKING: 'true',
    MCP_TOOL_TIMEOUT: '3600000',
    [RUN_MARK]: run,
  };
}

/** Names the launch in the environment of the agent and of everything it starts. */
export const RUN_MARK = 'CLAUDE_THREADS_RUN';

const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|HEADERS/;

/** Names of variables that hold credentials: blanked for the tools' server, and in what is shown of an error. */
export function secretNames(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => SECRET.test(name.toUpperCase()));
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
