import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import process from 'node:process';

/** What a figure depends on beside the code. */
export function machineFacts(): object {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    memoryMegabytes: Math.round(totalmem() / 1_048_576),
    system: `${platform()} ${release()} ${arch()}`,
    // Others at work on the machine show here; compare ratios then, not times.
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

export function versions(): object {
  return { node: process.versions.node, v8: process.versions.v8, sqlite: process.versions.sqlite };
}

/** The commit that was measured, and whether files differ from it; nulls outside a Git checkout. */
export function commit(): { commit: string | null; changed: boolean | null } {
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return { commit: git('rev-parse', 'HEAD'), changed: git('status', '--porcelain') !== '' };
  } catch {
    return { commit: null, changed: null };
  }
}
