import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Memory that a process holds, in megabytes. */
export function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
  }
}

/**
 * Processor time that a process has used, in milliseconds, to the microsecond. Others at work on the machine
 * lengthen it little. Linux only; null elsewhere.
 */
export function processorMilliseconds(pid: number): number | null {
  const tasks = `/proc/${pid}/task`;
  try {
    const nanoseconds = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, own) => sum + own, 0) / 1_000_000;
  } catch {
    return null;
  }
}
