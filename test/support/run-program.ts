import { spawn } from 'node:child_process';

export interface ProgramResult {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  /** The whole environment: nothing of this process's own is added. */
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which it is killed, and the call rejects. */
  readonly deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Runs a program to its end, with nothing on its stdin.
 *
 * @throws Error with what it has written when it does not end in time, or cannot be started.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, deadlineMs = DEFAULT_DEADLINE_MS }: ProgramOptions,
): Promise<ProgramResult> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, deadlineMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (isLate) throw new Error(`${command} did not end in ${deadlineMs} ms: ${stdout}\n${stderr}`);
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}
