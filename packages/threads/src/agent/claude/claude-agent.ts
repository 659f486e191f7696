import { stat } from 'node:fs/promises';
import type { Log } from '@postern/http';
import type { Clock } from '@postern/kit';
import type { Agent, AgentLaunch, AgentProcess } from '../agent.ts';
import { askClaude } from './ask.ts';
import { checkClaude } from './check.ts';
import { type Deadlines, defaultDeadlines, notStarted, startClaude } from './claude-process.ts';
import { commandLine, mcpConfig, type ToolsServer } from './command-line.ts';
import { agentEnvironment, type Environment, type Login, secretNames } from './environment.ts';
import { loginOf } from './login.ts';
import { type PrivateFile, privateFile } from './private-files.ts';
import { promptSnapshots } from './prompt-snapshot.ts';
import { recordRun, sweepRuns } from './run-record.ts';

/** The MCP configuration of a launch; its path is in the agent's command line. */
const CONFIG_FILE = 'mcp.json';
const BACKGROUND_FILE = 'background.md';

export interface ClaudeAgentOptions {
  /** The CLI: a path, or a name that is looked up in PATH. `CLAUDE_PATH` of the operator. */
  readonly command: string;
  /** What the CLI's environment is picked from: that of this process. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder for the files of running agents; made, and only for this user. */
  readonly filesDir: string;
  /** How the server of our own tools is started for a session. */
  readonly toolsServer: (launch: Pick<AgentLaunch, 'bridge' | 'features' | 'workingDir'>) => ToolsServer;
  readonly clock: Clock;
  /** A fresh UUID. */
  readonly newUuid: () => string;
  readonly log: Log;
  readonly deadlines?: Partial<Deadlines>;
}

/** Claude Code, run as a process for each session that speaks stream-json. */
export function claudeAgent(options: ClaudeAgentOptions): Agent {
  const canRenewPrompt = promptSnapshots(options);
  return {
    launch: async (launch) => start(options, launch, await canRenewPrompt()),
    check: (signal) => checkClaude(options, signal),
    endLeftovers: () => sweepRuns(options.filesDir, CONFIG_FILE),
    ask: (prompt, ask) => askClaude(options, CONFIG_FILE, prompt, ask),
  };
}

async function start(
  options: ClaudeAgentOptions,
  launch: AgentLaunch,
  canRenewPrompt: boolean,
): Promise<AgentProcess> {
  let login: Login;
  try {
    login = await loginOf(launch.account);
  } catch (error) {
    return notStarted((error as Error).message);
  }
  if (!(await isFolder(launch.workingDir))) {
    return notStarted(`The working folder ${launch.workingDir} does not exist.`);
  }
  const run = options.newUuid();
  const env: Environment = {
    ...agentEnvironment(options.env, login, run),
    ...(launch.autoMemoryDir === null ? { CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' } : {}),
  };
  const blanked = secretNames(env);
  let config: PrivateFile;
  let background: string | null = null;
  try {
    const content = mcpConfig(options.toolsServer(launch), blanked);
    config = await privateFile(options.filesDir, CONFIG_FILE, content);
    if (launch.background !== '') background = await config.add(BACKGROUND_FILE, launch.background);
    await recordRun(config.path, run, null);
  } catch (error) {
    return notStarted(`The agent's files cannot be written: ${(error as Error).message}`);
  }
  return startClaude({
    launch,
    command: options.command,
    args: commandLine(launch, { mcpConfig: config.path, background }, canRenewPrompt),
    env,
    run,
    secrets: [launch.bridge.token, ...blanked.map((name) => env[name] ?? '')],
    clock: options.clock,
    log: options.log,
    deadlines: { ...defaultDeadlines, ...options.deadlines },
    onSpawn: (pid) => recordRun(config.path, run, pid),
    cleanUp: async () => config[Symbol.asyncDispose](),
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
