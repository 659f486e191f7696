import process from 'node:process';
import type { Benchmark } from './benchmark.ts';

/**
 * Program: runs one benchmark and sends its report to the process that started this one. A process each, so
 * that heap and time can be bounded, and no benchmark meets what another left in memory.
 */

const [, , name = '', folder = '', mode = ''] = process.argv;
const stack = new AsyncDisposableStack();

process.once('SIGTERM', () => void end(1));
// From the terminal it reaches all of us; the parent decides.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => void end(1));

try {
  const { benchmark } = (await import(new URL(`../${name}.ts`, import.meta.url).href)) as {
    benchmark: Benchmark;
  };
  const report = await benchmark.run({
    quick: mode === 'quick',
    full: mode === 'full',
    folder,
    stack,
    say: (line) => void process.stderr.write(`${name}: ${line}\n`),
  });
  await new Promise((resolve) => process.send?.(report, resolve));
  await end(0);
} catch (error) {
  process.stderr.write(
    `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  await end(1);
}

async function end(code: number): Promise<never> {
  try {
    await stack.disposeAsync();
  } catch (error) {
    process.stderr.write(`${name}: not everything could be stopped: ${String(error)}\n`);
    process.exit(1);
  }
  process.exit(code);
}
