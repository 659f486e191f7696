import type { PoolAnswer, PoolOrder } from '../servers/nodemailer-pool.ts';
import type { BenchmarkContext } from './benchmark.ts';
import { startProgram } from './program.ts';

/** nodemailer's pool in a process of its own. */
export interface NodemailerPool {
  send(order: PoolOrder): Promise<PoolAnswer>;
}

export function startNodemailer(stack: BenchmarkContext['stack']): NodemailerPool {
  const { child, answer } = startProgram(stack, 'nodemailer-pool.ts');
  return {
    async send(order) {
      const sent = answer();
      child.send(order);
      return (await sent) as PoolAnswer;
    },
  };
}
