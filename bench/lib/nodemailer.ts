import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PoolAnswer, PoolOrder } from '../servers/nodemailer-pool.ts';
import type { BenchmarkContext } from './benchmark.ts';

/** nodemailer's pool in a process of its own. */
export interface NodemailerPool {
  send(order: PoolOrder): Promise<PoolAnswer>;
}

export function startNodemailer(stack: BenchmarkContext['stack']): NodemailerPool {
  const program = fileURLToPath(new URL('../servers/nodemailer-pool.ts', import.meta.url));
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await gone;
  });
  return {
    send: (order) =>
      new Promise((resolve, reject) => {
        void gone.then(() => reject(new Error('nodemailer has ended')));
        child.once('message', (answer) => resolve(answer as PoolAnswer));
        child.send(order);
      }),
  };
}
