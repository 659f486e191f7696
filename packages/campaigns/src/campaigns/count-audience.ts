import type { AudienceCount } from '../engine/audience/count.ts';
import { countAudienceTask } from '../engine/audience/of-campaign.ts';
import type { CampaignsPorts } from '../ports.ts';
import { storageTimeout } from '../storage-timeout.ts';
import type { CampaignTable } from '../tables.ts';
import { runInWorker } from '../workers/task.ts';

/** A call has 30 seconds altogether. */
const DEADLINE_MS = 20_000;

/**
 * Counts who would get a campaign, on a thread of its own and with a deadline (contract, 8.12).
 *
 * @throws Failure storage_timeout when it can't be counted in time.
 */
export async function countOnThread(
  ports: CampaignsPorts,
  { project_id, list_ids_json, segment_id }: CampaignTable,
  signal: AbortSignal,
): Promise<AudienceCount> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const input = { project_id, list_ids_json, segment_id };
  try {
    return await runInWorker(ports, countAudienceTask, input, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (deadline.aborted) throw storageTimeout(error);
    throw error;
  }
}
