import { type AudienceCount, countAudience } from '../engine/audience/count.ts';
import type { CampaignsPorts } from '../ports.ts';
import { storageTimeout } from '../storage-timeout.ts';
import { runInWorker, workerTask } from '../workers/task.ts';
import { segmentFilter } from './segment-filter.ts';

/** Counting who would get a campaign, on a thread of its own and with a deadline (contract, 8.12). */

/** A call has 30 seconds altogether. */
const DEADLINE_MS = 20_000;

interface CountInput {
  readonly projectId: string;
  readonly listIds: readonly string[];
  readonly segmentId: string | null;
}

export const countAudienceTask = workerTask(
  import.meta.url,
  'countAudienceTask',
  async (ports, { projectId, listIds, segmentId }: CountInput, signal): Promise<AudienceCount> => {
    const segment = await segmentFilter(ports, projectId, segmentId);
    const audience = { projectId, listIds, segment, untilUs: ports.clock.nowMicroseconds() };
    return countAudience(ports, audience, signal);
  },
);

/** @throws Failure storage_timeout when it can't be counted in time. */
export async function countOnThread(
  ports: CampaignsPorts,
  input: CountInput,
  signal: AbortSignal,
): Promise<AudienceCount> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await runInWorker(ports, countAudienceTask, input, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (deadline.aborted) throw storageTimeout(error);
    throw error;
  }
}
