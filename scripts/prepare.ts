import { buildConsole } from './lib/console-build.ts';
import { bundleStdio, bundleThreadsStdio } from './lib/stdio-bundle.ts';

/**
 * Runs after `npm ci` and on `npm run prepare`: makes the three things that are built, the console's page and the
 * bundles of `postern mcp inbox` and `postern mcp threads`. Everything else runs from its sources.
 */

const steps: readonly [string, () => Promise<unknown>][] = [
  ['the console', buildConsole],
  ['the bundle of postern mcp inbox', bundleStdio],
  ['the bundle of postern mcp threads', bundleThreadsStdio],
];

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
