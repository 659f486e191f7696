import { type BulkInput, readBulk, type SentBulk } from '@postern/http';
import type { OperationShape } from '@postern/kit';
import { importSubscribers } from '../operations/import-subscribers.ts';
import type { CampaignsPorts } from '../ports.ts';
import { runInWorker, workerTask } from './task.ts';

/** Bodies that would hold the event loop are parsed and checked on a thread. */

/** Named one by one, as a thread that reads them has no use for all the others. */
export const bulkOperations: readonly OperationShape[] = [importSubscribers];

interface Request {
  /** Of the operation; the record itself can't travel. */
  readonly name: string;
  readonly sent: SentBulk;
}

export const readBulkTask = workerTask(
  import.meta.url,
  'readBulkTask',
  async (_ports, { name, sent }: Request): Promise<BulkInput> => {
    const operation = bulkOperations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`operation ${name} is not known to have a bulk field`);
    return readBulk(operation, sent);
  },
);

/** Below this a body is read here in less than the way to a thread takes. */
const SMALL_OCTETS = 16_384;

export function readBulkSomewhere(
  ports: CampaignsPorts,
  operation: OperationShape,
  { query, params, body }: SentBulk,
  signal: AbortSignal,
): Promise<BulkInput> {
  // Objects without a prototype, as those of a query are, arrive with one.
  const request = { name: operation.name, sent: { query: { ...query }, params: { ...params }, body } };
  return body.length <= SMALL_OCTETS
    ? readBulkTask.run(ports, request, signal)
    : runInWorker(ports, readBulkTask, request, signal);
}
