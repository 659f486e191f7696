import { spawn } from 'node:child_process';
import process from 'node:process';
import type { Clock } from '@postern/kit';

/** How a run of a script ended. */
export type ScriptOutcome =
  | { readonly kind: 'done' }
  /** It said that it failed; the number is AppleScript's, where it gave one. */
  | { readonly kind: 'failed'; readonly error: number | null; readonly message: string }
  /** The program is not there, or cannot be started. */
  | { readonly kind: 'not_started'; readonly message: string }
  /** It did not end in time and was ended: nobody knows what it did. */
  | { readonly kind: 'late' };

export type ScriptRunner = (
  script: string,
  values: readonly string[],
  options: { readonly deadlineMs: number; readonly signal: AbortSignal },
) => Promise<ScriptOutcome>;

const MOST_OUTPUT = 8_192;
/** What the program needs of our surroundings; secrets are not among it. */
const INHERITED = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'TMPDIR', 'USER'];

/**
 * Runs scripts with `osascript`: the script on standard input, values as arguments, never through a shell. The
 * program and all that it started are ended when the time is up or the signal aborts.
 */
export function osascriptRunner(command: readonly string[], clock: Clock): ScriptRunner {
  const [program = 'osascript', ...options] = command;
  return async (script, values, { deadlineMs, signal }) => {
    const environment = Object.fromEntries(
      INHERITED.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    let child: ReturnType<typeof spawn>;
    try {
      child = spawn(program, [...options, '-', ...values], {
        env: environment,
        // A group of its own, to be ended as a whole.
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
    } catch (error) {
      return { kind: 'not_started', message: (error as Error).message };
    }
    const settled = new AbortController();
    let isLate = false;
    const end = () => {
      if (settled.signal.aborted) return;
      isLate = true;
      endGroup(child.pid);
    };
    void clock.sleep(deadlineMs, settled.signal).then(end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < MOST_OUTPUT) output += chunk;
    });
    // A program that does not read its script is no fault of ours.
    child.stdin?.on('error', () => {}).end(script);
    try {
      return await new Promise<ScriptOutcome>((resolve) => {
        child.once('error', (error) => resolve({ kind: 'not_started', message: error.message }));
        // Of a program that was ended, what it left open is not waited for.
        child.once('exit', () => isLate && resolve({ kind: 'late' }));
        child.once('close', (code) => {
          if (isLate) resolve({ kind: 'late' });
          else if (code === 0) resolve({ kind: 'done' });
          else resolve({ kind: 'failed', error: errorNumber(output), message: firstLine(output) });
        });
      });
    } finally {
      settled.abort();
      signal.removeEventListener('abort', end);
      child.stderr?.destroy();
    }
  };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** `…execution error: Messages got an error: Can’t get chat id "…". (-1728)` */
function errorNumber(output: string): number | null {
  const [, number] = /\((-?\d{1,6})\)\s*$/.exec(output.trimEnd()) ?? [];
  return number === undefined ? null : Number(number);
}

function firstLine(output: string): string {
  return output.trim().split('\n')[0]?.slice(0, 300) || 'osascript gave no reason';
}
