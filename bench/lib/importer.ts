import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ImporterAnswer, ImporterOrder } from '../servers/importer.ts';
import type { BenchmarkContext } from './benchmark.ts';

/** Imports in a process of its own, so that what a client does for them holds up no call that is timed. */
export interface Importer {
  start(order: ImporterOrder): void;
  /** @returns how many people were imported since it was started. */
  stop(): Promise<number>;
}

export function startImporter(stack: BenchmarkContext['stack']): Importer {
  const program = fileURLToPath(new URL('../servers/importer.ts', import.meta.url));
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await gone;
  });
  return {
    start: (order) => void child.send(order),
    stop: () =>
      new Promise((resolve, reject) => {
        void gone.then(() => reject(new Error('the importer has ended')));
        child.once('message', (answer) => resolve((answer as ImporterAnswer).imported));
        child.send('stop');
      }),
  };
}
