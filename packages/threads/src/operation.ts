import type { ProblemCode } from '@postern/http';
import { operationsOf } from '@postern/kit';
import type { Threads } from './threads.ts';

/** What a handler works with. */
export interface ThreadsContext {
  readonly threads: Threads;
  /** Name of the admin key or console login that asks. */
  readonly operator: string;
  /** Aborts when the server begins to stop. */
  readonly closing: AbortSignal;
}

/** All of it is the operator's: an admin key, or the console's login. */
export type ThreadsRights = 'admin';

/** Declares an operation of the threads service; one a file under `operations/`, where it is found by itself. */
export const operation = operationsOf<ThreadsContext, ThreadsRights, ProblemCode>();
