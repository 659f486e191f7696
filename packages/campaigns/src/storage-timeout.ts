import { problem } from '@postern/http';
import { Failure } from '@postern/kit';
import { isStorageTimeout } from '@postern/store';
import type { CampaignsOperation } from './operations/index.ts';

/** Runs work on the database. @throws Failure storage_timeout when it did not answer in time. */
export async function tellingTimeouts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isStorageTimeout(error) && !(error instanceof Failure) ? storageTimeout(error) : error;
  }
}

export function storageTimeout(cause?: unknown): Failure {
  return problem(
    'storage_timeout',
    'The database did not answer in time. A change may still take effect: look before you repeat it.',
    { cause },
  );
}

/** The operation, with the database's delays told in the API's words. */
export function withTimeouts(operation: CampaignsOperation): CampaignsOperation {
  return {
    ...operation,
    handle: (input, context) => tellingTimeouts(() => operation.handle(input, context)),
  };
}
