import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { RUN_MARK } from './environment.ts';

const PS_MS = 2_000;

/**
 * Ends what an agent has left running. Its process group is not enough: the CLI runs each shell command in a
 * session of its own, and when it is killed those go on. On Linux they are found by the launch's mark in their
 * environment; elsewhere only the group is ended.
 */
export function endLeftovers(groupId: number | null, run: string): void {
  if (groupId !== null) signalGroup(groupId, 'SIGKILL');
  for (const pid of markedProcesses(run)) kill(pid, 'SIGKILL');
}

/** Signals a whole process group; one that is gone already is no error. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  kill(process.platform === 'win32' ? groupId : -groupId, signal);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process that runs has the text in its command line. */
export function wasStartedWith(pid: number, text: string): boolean {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split('\0')
        .some((argument) => argument.includes(text));
    } catch {
      return false;
    }
  }
  if (process.platform === 'win32') return false;
  const { stdout } = spawnSync('ps', ['-ww', '-p', String(pid), '-o', 'command='], {
    encoding: 'utf8',
    timeout: PS_MS,
  });
  return typeof stdout === 'string' && stdout.includes(text);
}

function markedProcesses(run: string): number[] {
  if (process.platform !== 'linux') return [];
  const mark = `${RUN_MARK}=${run}`;
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isMarked(pid, mark));
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    // Gone meanwhile, or another user's.
    return false;
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}
