import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleCommand } from './lib/command-bundle.ts';
import { buildConsole } from './lib/console-build.ts';
import { root } from './lib/paths.ts';
import { bundleStdio, bundleThreadsStdio } from './lib/stdio-bundle.ts';

/**
 * Runs after `npm ci` and on `npm run prepare`: makes the four things that are built, the console's page and the
 * bundles of the `postern` command, of `postern mcp inbox` and of `postern mcp threads`.
 */

const steps: readonly [string, () => Promise<unknown>][] = [
  ['the console', buildConsole],
  ['the bundle of the postern command', bundleCommand],
  ['the bundle of postern mcp inbox', bundleStdio],
  ['the bundle of postern mcp threads', bundleThreadsStdio],
];

// What Node compiled of earlier versions would lie there for ever.
rmSync(join(root, '.cache/compile'), { recursive: true, force: true });

for (const [name, build] of steps) {
  try {
    await build();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    const reason = missing ? 'the development dependencies are not installed' : (error as Error).message;
    console.error(`prepare: ${name} could not be built: ${reason}`);
    process.exitCode = 1;
  }
}
