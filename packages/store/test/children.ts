import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';

const alive = new Set<ChildProcess>();

afterEach(() => {
  for (const child of alive) child.kill('SIGKILL');
});

export interface Child {
  readonly pid: number;
  /** The next line of its standard output. @throws Error when it ends without one. */
  line(): Promise<string>;
  /** As nobody can prepare for. Resolves when it is gone. */
  kill9(): Promise<void>;
  /** Its exit code and what it said on standard error. */
  ended(): Promise<{ code: number | null; stderr: string }>;
}

/** Starts a program of this folder as a process of its own, with its arguments as JSON; ended with the test. */
export function startChild(program: string, ...parameters: readonly unknown[]): Child {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...parameters.map((one) => JSON.stringify(one))], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const closed = once(child, 'close').then(([code]) => {
    alive.delete(child);
    return { code: code as number | null, stderr };
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the child ended without a word: ${(await closed).stderr}`);
      return value;
    },
    async kill9() {
      child.kill('SIGKILL');
      await closed;
    },
    ended: () => closed,
  };
}
