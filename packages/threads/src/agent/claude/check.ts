import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import type { AgentCheck } from '../agent.ts';
import { agentEnvironment } from './environment.ts';

const DEADLINE_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Asks the CLI for its version, which needs neither a login nor the network. */
export async function checkClaude(
  { command, env }: { readonly command: string; readonly env: NodeJS.ProcessEnv },
  signal?: AbortSignal,
): Promise<AgentCheck> {
  const path = findProgram(command, env);
  if (path === null) {
    return { ok: false, problem: `The agent's program ${command} is not found; CLAUDE_PATH can name it` };
  }
  return new Promise((answer) => {
    execFile(
      path,
      ['--version'],
      {
        env: agentEnvironment(env, null, 'check'),
        timeout: DEADLINE_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
        ...(signal ? { signal } : {}),
      },
      (error, stdout) => {
        const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
        if (error === null && version !== undefined) return answer({ ok: true, version, path });
        answer({ ok: false, problem: `${path} --version ${problemOf(error)}` });
      },
    );
  });
}

function problemOf(error: (Error & { killed?: boolean; code?: unknown }) | null): string {
  if (error === null) return 'did not name a version';
  if (error.killed === true) return 'did not answer in time';
  return typeof error.code === 'number' ? `ended with ${error.code}` : `failed: ${error.message}`;
}

/** The file a command means, as the operating system would find it; null when there is none to run. */
function findProgram(command: string, env: NodeJS.ProcessEnv): string | null {
  const isPath = isAbsolute(command) || command.includes(sep) || command.includes('/');
  const folders = isPath ? [] : (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['', '.exe'] : [''];
  const candidates = isPath ? [resolve(command)] : folders.map((folder) => join(folder, command));
  return candidates.flatMap((path) => endings.map((ending) => path + ending)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
