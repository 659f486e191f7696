import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../config/load.ts';
import { isConsoleBuilt } from '../console/page.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks of what is around Postern: runtime, port, agent CLI, what `npm run prepare` makes. */

const OLDEST_NODE = 24;
const CLI_MS = 10_000;
/** Of the agent CLI, major and minor: older ones have never been tried, and lack flags that sessions begin with. */
const OLDEST_CLI: readonly [number, number] = [2, 1];
const BUNDLE = fileURLToPath(new URL('../../../inbox/dist/stdio.js', import.meta.url));

export function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= OLDEST_NODE
    ? ok('node', `Node ${node}`)
    : failed(
        'node',
        `Node ${node} is too old`,
        `Run npm ci, which brings Node ${OLDEST_NODE}, and start by bin/postern.js`,
      );
}

/** @param isNeeded Whether a service is configured that cannot work without. */
export async function checkAgentCli(path: string, isNeeded: boolean): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: CLI_MS });
    const version = stdout.trim().split('\n')[0] ?? '';
    if (!isNeeded || !isTooOld(version)) return ok('agent_cli', `${path}: ${version}`);
    return warning(
      'agent_cli',
      `${path}: ${version} is older than ${OLDEST_CLI.join('.')}, the oldest that sessions are made for`,
      'Update it',
    );
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not installed' : 'does not run';
    const tell = isNeeded ? failed : warning;
    return tell(
      'agent_cli',
      `${path} ${reason}`,
      `Install the agent CLI or set CLAUDE_PATH; ${isNeeded ? 'threads cannot start a session' : 'the inbox works'} without it`,
    );
  }
}

/**
 * Whether the agent CLI knows a login, as it is seen from here; the server may be started with other variables. Nothing
 * where it is logged in, or where it does not say.
 */
export async function checkAgentLogin(path: string): Promise<Finding[]> {
  try {
    // It ends with 1 when there is none, having said so all the same.
    const { stdout } = await promisify(execFile)(path, ['auth', 'status'], { timeout: CLI_MS }).catch(
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    const { loggedIn } = JSON.parse(stdout) as { loggedIn?: unknown };
    if (loggedIn !== false) return [];
  } catch {
    return [];
  }
  return [
    warning(
      'agent_login',
      `${path} is not logged in, seen from here, so sessions would fail at their first message`,
      'As the user Postern runs as, run it once and log in, or set ANTHROPIC_API_KEY where Postern is started',
    ),
  ];
}

function isTooOld(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  if (major === undefined) return false;
  const [oldestMajor, oldestMinor] = OLDEST_CLI;
  return Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor);
}

export function checkBuild(): Finding {
  const missing = [
    ...(isConsoleBuilt() ? [] : ['the console']),
    ...(existsSync(BUNDLE) ? [] : ['the bundle of postern mcp inbox']),
  ];
  return missing.length === 0
    ? ok('build', 'The console and the bundle of postern mcp inbox are built')
    : warning('build', `Not built: ${missing.join(' and ')}`, 'Run npm run prepare');
}

/** Whether the port can be listened on; asked only when no server of ours has it. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const fault = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
  if (fault === null) return ok('port', `${host}:${port} is free`);
  const message =
    fault.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be listened on (${fault.code})`;
  return failed(
    'port',
    `${host}:${port} ${message}`,
    'Choose another with POSTERN_PORT and POSTERN_HOST, or stop what uses it',
  );
}
