import { readdirSync, readFileSync } from 'node:fs';
import { RUN_MARK } from './environment.ts';

/**
 * Ends what an agent has left running. Its process group is not enough: the CLI runs each shell command in a
 * session of its own, and when it is killed those go on. On Linux they are found by the launch's mark in their
 * environment; elsewhere only the group is ended.
 */
export function endLeftovers(groupId: number, run: string): void {
  signalGroup(groupId, 'SIGKILL');
  for (const pid of markedProcesses(run)) kill(pid, 'SIGKILL');
}

/** Signals a whole process group; one that is gone already is no error. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  kill(process.platform === 'win32' ? groupId : -groupId, signal);
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
