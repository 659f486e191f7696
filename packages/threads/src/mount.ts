import { type MountOptions, mountOperations } from '@postern/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ThreadsContext, ThreadsRights } from './operation.ts';
import { threadsOperations } from './operations/index.ts';
import type { Threads } from './threads.ts';

export const THREADS_PREFIX = '/threads/api';

export interface ThreadsMount
  extends Pick<MountOptions<ThreadsContext, ThreadsRights, string>, 'dialect' | 'log'> {
  readonly threads: Threads;
  /** Name of the operator who asks. @throws Failure when nobody known does. */
  authenticate(request: FastifyRequest): Promise<string>;
}

/**
 * Mounts the operator's side of the threads service under `/threads/api`. Stop the service before, or together
 * with, the server: open event streams end on either.
 */
export function mountThreads(app: FastifyInstance, { threads, ...rest }: ThreadsMount): void {
  mountOperations<ThreadsContext, ThreadsRights, string>(app, threadsOperations, {
    ...rest,
    prefix: THREADS_PREFIX,
    contextFor: ({ caller, closing }) => ({ threads, operator: caller, closing }),
  });
}
