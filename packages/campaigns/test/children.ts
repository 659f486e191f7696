import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { ChildEngine } from './child-engine.ts';

const alive = new Set<ChildProcess>();

afterEach(() => {
  for (const child of alive) child.kill('SIGKILL');
});

export interface Child {
  /** As nobody can prepare for. */
  kill9(): void;
  /** Ends one of its threads, as a fault in it would. */
  killThread(): void;
  /** Asks it to stop. */
  terminate(): void;
  /** Resolves when it is gone; with its exit code, or null when it was killed. */
  readonly gone: Promise<number | null>;
}

/** Starts an engine as a process of its own; ended with the test. Resolves when it is at work. */
export async function startEngine(options: ChildEngine): Promise<Child> {
  const program = fileURLToPath(new URL('./child-engine.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  alive.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    alive.delete(child);
    return code as number | null;
  });
  const started = once(createInterface({ input: child.stdout }), 'line');
  const ended = await Promise.race([started.then(() => null), gone]);
  // One that was told to kill itself may be gone by now; any other end is a fault.
  if (ended !== null) throw new Error(`the engine ended with ${ended} before it was at work`);
  return {
    kill9: () => void child.kill('SIGKILL'),
    killThread: () => void child.kill('SIGUSR2'),
    terminate: () => void child.kill('SIGTERM'),
    gone,
  };
}
