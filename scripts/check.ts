import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { boundaryFaults } from './lib/boundaries.ts';
import { root } from './lib/paths.ts';

/** `npm run check`: all of it runs, whatever fails before; the last line says what did. */

interface Check {
  readonly name: string;
  /** What is wrong, or an empty text. */
  run(): string;
}

const checks: readonly Check[] = [
  { name: 'types', run: () => tool('tsc', '-p', '.') },
  { name: 'types of the console', run: () => tool('tsc', '-p', 'packages/console') },
  { name: 'format and lint', run: () => tool('biome', 'check', '.') },
  { name: 'package boundaries', run: () => boundaryFaults().join('\n') },
  { name: 'unused files, exports and dependencies', run: () => tool('knip') },
];

const failures: string[] = [];
for (const { name, run } of checks) {
  const fault = run();
  console.log(`${fault === '' ? 'ok  ' : 'FAIL'}  ${name}`);
  if (fault === '') continue;
  failures.push(name);
  console.log(fault.trimEnd().replaceAll(/^/gm, '      '));
}
console.log(failures.length === 0 ? 'All checks pass.' : `Failed: ${failures.join('; ')}`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Output of a tool that failed, or an empty text. */
function tool(name: string, ...args: string[]): string {
  const binary = join(root, 'node_modules/.bin', name);
  if (!existsSync(binary)) return `${name} is not installed; run npm ci`;
  const { status, stdout, stderr, error } = spawnSync(binary, args, { cwd: root, encoding: 'utf8' });
  if (error) return error.message;
  return status === 0 ? '' : `${stdout}${stderr}` || `${name} ended with ${status}`;
}
