import type { CampaignsPorts } from '../../ports.ts';
import type { CampaignTable } from '../../tables.ts';
import { workerTask } from '../../workers/task.ts';
import { CampaignUnfitError } from '../ports.ts';
import type { Audience } from './audience.ts';
import { type AudienceCount, countAudience } from './count.ts';
import { freezeAudience } from './freeze.ts';
import { segmentFilter } from './segment.ts';

type Addressed = Pick<CampaignTable, 'project_id' | 'list_ids_json' | 'segment_id'>;

/**
 * Whom a campaign goes to, as of a moment. Lists that were deleted have no members any more.
 *
 * @throws CampaignUnfitError when its segment is gone.
 */
export async function audienceOf(
  ports: CampaignsPorts,
  campaign: Addressed,
  untilUs: number,
): Promise<Audience> {
  const wanted: string[] = JSON.parse(campaign.list_ids_json);
  const rows = await ports.store.db
    .selectFrom('mail_lists')
    .select('list_id')
    .where('project_id', '=', campaign.project_id)
    .where('list_id', 'in', wanted.length > 0 ? wanted : [''])
    .where('deleted_us', 'is', null)
    .execute();
  const there = new Set(rows.map((row) => row.list_id));
  return {
    projectId: campaign.project_id,
    listIds: [...new Set(wanted)].filter((listId) => there.has(listId)),
    segment: await segmentOf(ports, campaign, untilUs),
    untilUs,
  };
}

async function segmentOf(ports: CampaignsPorts, { project_id, segment_id }: Addressed, nowUs: number) {
  if (segment_id === null) return null;
  const row = await ports.store.db
    .selectFrom('mail_segments')
    .select('condition_json')
    .where('project_id', '=', project_id)
    .where('segment_id', '=', segment_id)
    .executeTakeFirst();
  if (!row) throw new CampaignUnfitError('audience_gone', `the segment ${segment_id} is gone`);
  return segmentFilter(ports, JSON.parse(row.condition_json), nowUs);
}

/** Freezes the audience of a launched campaign; false when it was stopped before the end. */
export const freezeTask = workerTask(
  import.meta.url,
  'freezeTask',
  async (ports, { campaignId }: { readonly campaignId: string }, signal): Promise<FreezeOutcome> => {
    const campaign = await ports.store.db
      .selectFrom('mail_campaigns')
      .selectAll()
      .where('campaign_id', '=', campaignId)
      .executeTakeFirstOrThrow();
    try {
      const untilUs = campaign.launched_us ?? ports.clock.nowMicroseconds();
      const audience = await audienceOf(ports, campaign, untilUs);
      return (await freezeAudience(ports, campaignId, audience, signal)) ? 'frozen' : 'stopped';
    } catch (error) {
      if (error instanceof CampaignUnfitError) return { unfit: error.reason };
      throw error;
    }
  },
);

export type FreezeOutcome = 'frozen' | 'stopped' | { readonly unfit: CampaignUnfitError['reason'] };

/** Counts who would get a campaign if it were launched now; for the dry run, off the event loop. */
export const countAudienceTask = workerTask(
  import.meta.url,
  'countAudienceTask',
  async (ports, campaign: Addressed, signal): Promise<AudienceCount> =>
    countAudience(ports, await audienceOf(ports, campaign, ports.clock.nowMicroseconds()), signal),
);
