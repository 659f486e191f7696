import type { AudienceCount } from '../engine/audience/count.ts';
import { countAudienceTask } from '../engine/audience/of-campaign.ts';
import type { CampaignsPorts } from '../ports.ts';
import type { CampaignTable } from '../tables.ts';
import { runInTime } from '../workers/in-time.ts';

/**
 * Counts who would get a campaign, off the event loop and with a deadline (contract, 8.12).
 *
 * @throws Failure storage_timeout when it can't be counted in time.
 */
export function countOnThread(
  ports: CampaignsPorts,
  { project_id, list_ids_json, segment_id }: CampaignTable,
  signal: AbortSignal,
): Promise<AudienceCount> {
  return runInTime(ports, countAudienceTask, { project_id, list_ids_json, segment_id }, signal);
}
