import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import * as z from 'zod';
import { AgentAskError, type AskOptions } from '../agent.ts';
import type { ClaudeAgentOptions } from './claude-agent.ts';
import { agentEnvironment } from './environment.ts';
import { endLeftovers } from './leftovers.ts';
import { loginOf } from './login.ts';
import { privateFile } from './private-files.ts';
import { recordRun } from './run-record.ts';

/** The CLI's own name for the cheapest model of the day. */
const MODEL = 'haiku';
const MOST_PROMPT_BYTES = 500_000;
const MOST_OUTPUT_BYTES = 256 * 1_024;

const resultSchema = z.object({
  type: z.literal('result'),
  is_error: z.boolean(),
  result: z.string(),
});

/**
 * Runs the CLI once, as `claude -p`, in an empty folder and with nothing of the operator's own added: no tools, no
 * servers, no hooks, no memory. The prompt goes over its input, since anyone can read a command line.
 *
 * @param configName Name of its (empty) server configuration, by which leftovers of a killed hub are known.
 * @throws AgentAskError
 */
export async function askClaude(
  options: Pick<ClaudeAgentOptions, 'command' | 'env' | 'filesDir' | 'newUuid' | 'clock'>,
  configName: string,
  prompt: string,
  { systemPrompt, signal, maxMs, account = null }: AskOptions,
): Promise<string> {
  if (Buffer.byteLength(prompt) > MOST_PROMPT_BYTES) throw new AgentAskError('The prompt is too long.');
  const run = options.newUuid();
  const login = await loginOf(account).catch((error: Error) => {
    throw new AgentAskError(error.message);
  });
  await using config = await privateFile(options.filesDir, configName, '{"mcpServers":{}}').catch(
    (error: Error) => {
      throw new AgentAskError(`The agent's files cannot be written: ${error.message}`);
    },
  );
  const finished = new AbortController();
  const late = new AbortController();
  void options.clock.sleep(maxMs, finished.signal).then(() => late.abort());
  try {
    const output = await outputOf({
      command: options.command,
      args: argumentsOf(config.path, systemPrompt),
      cwd: dirname(config.path),
      env: {
        ...agentEnvironment(options.env, login, run),
        CLAUDE_CODE_SAFE_MODE: '1',
        CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
      },
      prompt,
      run,
      signal: AbortSignal.any([signal, late.signal]),
      onSpawn: (pid) => recordRun(config.path, run, pid),
    });
    return answerIn(output);
  } catch (error) {
    if (signal.aborted) throw new AgentAskError('It was called off.');
    if (late.signal.aborted) throw new AgentAskError(`No answer came within ${maxMs} ms.`);
    throw error;
  } finally {
    finished.abort();
  }
}

function argumentsOf(configPath: string, systemPrompt: string): string[] {
  return [
    ...['-p', '--output-format', 'json', '--model', MODEL, '--no-session-persistence'],
    ...['--tools', '', '--strict-mcp-config', '--mcp-config', configPath],
    ...['--system-prompt', systemPrompt],
    ...['--settings', JSON.stringify({ disableAllHooks: true, autoMemoryEnabled: false })],
  ];
}

function answerIn(output: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    throw new AgentAskError('The agent did not answer in its own form.');
  }
  const { data } = resultSchema.safeParse(parsed);
  if (data === undefined || data.is_error) throw new AgentAskError('The agent answered with an error.');
  return data.result;
}

interface OneRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly run: string;
  readonly signal: AbortSignal;
  readonly onSpawn: (pid: number) => Promise<void>;
}

/** All that a process writes, once it and everything it started is gone. */
function outputOf({ command, args, cwd, env, prompt, run, signal, onSpawn }: OneRun): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new AgentAskError('It was called off.'));
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let failure: AgentAskError | null = null;
    const end = (reason: string) => {
      failure ??= new AgentAskError(reason);
      endLeftovers(child.pid ?? null, run);
    };
    const onAbort = () => end('It was called off.');
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('spawn', () => {
      // Not on record, it would outlive a kill of this process by as long as it takes to answer.
      if (child.pid !== undefined) onSpawn(child.pid).catch(() => undefined);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_OUTPUT_BYTES) end('The answer is too long.');
      else chunks.push(chunk);
    });
    for (const stream of [child.stdin, child.stdout]) stream.on('error', () => undefined);
    child.once('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(new AgentAskError(`${command} could not be started: ${error.message}`));
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      if (failure !== null) return reject(failure);
      if (size === 0) return reject(new AgentAskError(`The agent ended with ${code} and no answer.`));
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    child.stdin.end(prompt);
  });
}
