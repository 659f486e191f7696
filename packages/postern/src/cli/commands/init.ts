import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { variable } from '../../config/environment.ts';
import { loadConfig } from '../../config/load.ts';
import { ConfigError, type ConfigProblem } from '../../config/problem.ts';
import { checkAgentCli, checkAgentLogin } from '../../doctor/machine.ts';
import { nextSteps } from '../../init/next-steps.ts';
import { checkPlatform, lookUpOf } from '../../init/platforms.ts';
import { Abandoned } from '../../init/prompter.ts';
import { setUp } from '../../init/run.ts';
import { terminalPrompter } from '../../init/terminal-prompter.ts';
import { DONE, FAILED, type Invocation } from '../command.ts';

const DEFAULT_FILE = 'postern.yaml';
/** What shells answer for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** `postern init`: asks, checks with the platform, and writes the `threads:` section. */
export async function init(invocation: Invocation): Promise<number> {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const onInterrupt = () => interrupt.abort();
  process.on('SIGINT', onInterrupt);
  const prompter = invocation.has('yes')
    ? null
    : terminalPrompter({ input: invocation.stdin ?? process.stdin, output: invocation.stdout, interrupt });
  try {
    return await run(invocation, { prompter, signal });
  } catch (error) {
    if (!(error instanceof Abandoned) && !signal.aborted) throw error;
    const isEnded = error instanceof Abandoned && error.why === 'ended';
    const hint = isEnded ? ' The input ended; without a terminal, give flags and --yes.' : '';
    // Whatever was asked still waits on its line.
    if (prompter !== null) invocation.say('');
    invocation.warn(`postern: nothing was written.${hint}`);
    return error instanceof Abandoned && error.why !== 'interrupted' ? FAILED : INTERRUPTED;
  } finally {
    process.off('SIGINT', onInterrupt);
    prompter?.close();
  }
}

async function run(
  invocation: Invocation,
  { prompter, signal }: { prompter: ReturnType<typeof terminalPrompter> | null; signal: AbortSignal },
): Promise<number> {
  const { environment, workingDirectory, say, option } = invocation;
  const name = option('config') ?? variable(environment, 'POSTERN_CONFIG') ?? DEFAULT_FILE;
  const load = (config: string) =>
    loadConfig({
      environment,
      workingDirectory,
      flags: { config, 'data-dir': option('data-dir') },
    }).config;
  const path = resolve(workingDirectory, name);
  const { dataDir, claudePath } = settingsOf(() => load(path), invocation);
  const cli = [await checkAgentCli(claudePath, true), ...(await checkAgentLogin(claudePath))];
  for (const { status, message, fix } of cli) if (status !== 'ok') say(`Note: ${message}. ${fix}.`);
  const draft = await setUp({
    asking: { prompter, say },
    given: {
      platform: option('platform'),
      id: option('id'),
      url: option('url'),
      apiUrl: option('api-url'),
      channel: option('channel'),
      botName: option('bot-name'),
      allow: option('allow'),
      workingDir: option('working-dir'),
      permissionMode: option('permission-mode'),
      replace: invocation.has('replace'),
      environment,
    },
    platforms: {
      async check(credentials) {
        const checks = await checkPlatform(credentials, signal);
        if (signal.aborted) throw new Abandoned('interrupted');
        return checks;
      },
      lookUp: (credentials) => lookUpOf(credentials, signal),
    },
    file: { path, name },
    dataDir,
    workingDirectory,
    problems: (at) => problemsOf(() => load(at)),
  });
  say(`${name} has the platform ${draft.id} now. Next:`);
  for (const line of nextSteps(draft, { fileName: name, isUsual: name === DEFAULT_FILE })) say(line);
  return DONE;
}

/** As the configuration says, as far as it can be read. */
function settingsOf(
  load: () => { dataDir: string; claudePath: string },
  { environment, workingDirectory, option }: Invocation,
): { dataDir: string; claudePath: string } {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const dataDir = option('data-dir') ?? variable(environment, 'POSTERN_DATA_DIR') ?? './data';
    return {
      dataDir: resolve(
        workingDirectory,
        dataDir.replace(/^~(?=$|[/\\])/, () => homedir()),
      ),
      claudePath: variable(environment, 'CLAUDE_PATH') ?? 'claude',
    };
  }
}

function problemsOf(load: () => unknown): readonly ConfigProblem[] {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
