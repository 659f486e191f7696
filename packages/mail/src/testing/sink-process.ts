import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SinkOptions } from './smtp-sink.ts';

/** The sink in a process of its own, so that a benchmark measures the client alone and a crash test can kill it. */

/** What can be told to another process: everything but a script. */
export type SinkProcessOptions = Omit<SinkOptions, 'script'>;

export interface SinkProcess {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** How many messages were received. */
  count(): Promise<number>;
  octets(): Promise<number>;
  /** Connections opened so far. */
  connections(): Promise<number>;
  /** The recipients of all messages in the order of their arrival, repeated where they came twice. */
  recipients(): Promise<string[]>;
  /** Resolves as soon as so many messages were received. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export type SinkProcessQuestion =
  | { readonly id: number; readonly ask: 'count' | 'octets' | 'connections' | 'recipients' }
  | { readonly id: number; readonly ask: 'until'; readonly count: number };

/** The answer with id 0 comes unasked when the sink listens. */
export interface SinkProcessAnswer {
  readonly id: number;
  readonly value: unknown;
}

type Question =
  | { readonly ask: 'count' | 'octets' | 'connections' | 'recipients' }
  | { readonly ask: 'until'; readonly count: number };

/** @throws Error (rejects) when the process ends before it listens, and of every question when it has ended. */
export async function startSinkProcess(options: SinkProcessOptions = {}): Promise<SinkProcess> {
  const program = fileURLToPath(new URL('sink-main.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const awaited = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const answer = (id: number) =>
    new Promise<unknown>((resolve, reject) => {
      awaited.set(id, { resolve, reject });
    });
  child.on('message', ({ id, value }: SinkProcessAnswer) => {
    awaited.get(id)?.resolve(value);
    awaited.delete(id);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      for (const { reject } of awaited.values()) reject(new Error('The sink process has ended'));
      awaited.clear();
      resolve();
    });
  });
  const { host, port } = (await answer(0)) as { host: string; port: number };
  let last = 0;
  const ask = (question: Question): Promise<unknown> => {
    if (!child.connected) return Promise.reject(new Error('The sink process has ended'));
    last += 1;
    const answered = answer(last);
    child.send({ id: last, ...question });
    return answered;
  };
  return {
    pid: pidOf(child),
    host,
    port,
    count: () => ask({ ask: 'count' }) as Promise<number>,
    octets: () => ask({ ask: 'octets' }) as Promise<number>,
    connections: () => ask({ ask: 'connections' }) as Promise<number>,
    recipients: () => ask({ ask: 'recipients' }) as Promise<string[]>,
    async until(count) {
      await ask({ ask: 'until', count });
    },
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The sink process did not start');
  return pid;
}
