import * as z from 'zod';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { answerTime, answerTimeSchema } from '../shapes/common.ts';
import type { EventTable } from '../tables.ts';
import { requireSubscriber } from './rows.ts';

/** What happened to somebody on a list: came, confirmed, was mailed, read, bounced, left. */

export const subscriberEventSchema = z.strictObject({
  id: z.string(),
  type: z.string().describe('opened, clicked, bounced, complained, confirmed, unsubscribed, resubscribed'),
  campaign_id: z.string().nullable().describe('The campaign it came from'),
  campaign_name: z.string().nullable(),
  details: z.record(z.string(), z.unknown()).describe('What belongs to it, such as the reason of a bounce'),
  at: answerTimeSchema,
});

type SubscriberEventAnswer = z.input<typeof subscriberEventSchema>;

/** Newest first; empty for somebody who was erased. @throws Failure not_found. */
export async function pageOfSubscriberEvents(
  { store }: CampaignsPorts,
  request: {
    readonly projectId: string;
    readonly subscriberId: string;
    readonly limit: number;
    readonly cursor?: string | undefined;
  },
): Promise<Page<SubscriberEventAnswer>> {
  const { projectId, subscriberId } = request;
  await requireSubscriber(store.db, projectId, subscriberId);
  const { rows, next_cursor } = await page(
    request,
    'evt',
    ({ after, limit }) => {
      let query = store.db
        .selectFrom('mail_events')
        .leftJoin('mail_campaigns', 'mail_campaigns.campaign_id', 'mail_events.campaign_id')
        .selectAll('mail_events')
        .select('mail_campaigns.name as campaign_name')
        .where('mail_events.subscriber_id', '=', subscriberId)
        .where('mail_events.project_id', '=', projectId);
      if (after !== null) query = query.where('event_id', '<', after);
      return query.orderBy('event_id', 'desc').limit(limit).execute();
    },
    (row) => row.event_id,
  );
  return { rows: rows.map(eventAnswer), next_cursor };
}

function eventAnswer(row: EventTable & { readonly campaign_name: string | null }): SubscriberEventAnswer {
  return {
    id: row.event_id,
    type: row.type,
    campaign_id: row.campaign_id,
    campaign_name: row.campaign_name,
    details: JSON.parse(row.details_json),
    at: answerTime(row.at_us),
  };
}
