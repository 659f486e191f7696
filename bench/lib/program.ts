import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchmarkContext } from './benchmark.ts';

/** A program of `servers/` in a process of its own, told what to do by messages. */
export interface Program {
  readonly child: ChildProcess;
  /** The next message it sends. @throws Error when it ends before. */
  answer(): Promise<unknown>;
}

/** Starts one; it ends with the stack. @param file its name in `servers/`. */
export function startProgram(stack: BenchmarkContext['stack'], file: string): Program {
  const path = fileURLToPath(new URL(`../servers/${file}`, import.meta.url));
  const child = fork(path, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await gone;
  });
  return {
    child,
    answer: () =>
      new Promise((resolve, reject) => {
        void gone.then(() => reject(new Error(`${file} has ended`)));
        child.once('message', resolve);
      }),
  };
}
