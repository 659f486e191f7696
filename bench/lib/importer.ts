import type { ImporterAnswer, ImporterOrder } from '../servers/importer.ts';
import type { BenchmarkContext } from './benchmark.ts';
import { startProgram } from './program.ts';

/** Imports in a process of its own, so that what a client does for them holds up no call that is timed. */
export interface Importer {
  start(order: ImporterOrder): void;
  /** @returns how many people were imported since it was started. */
  stop(): Promise<number>;
}

export function startImporter(stack: BenchmarkContext['stack']): Importer {
  const { child, answer } = startProgram(stack, 'importer.ts');
  return {
    start: (order) => void child.send(order),
    async stop() {
      const last = answer();
      child.send('stop');
      return ((await last) as ImporterAnswer).imported;
    },
  };
}
