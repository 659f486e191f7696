import * as z from 'zod';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { answerTimeOrNull, answerTimeSchema } from '../shapes/common.ts';
import type { DeliveryState, DeliveryTable } from '../tables.ts';
import { runInTime } from '../workers/in-time.ts';
import { workerTask } from '../workers/task.ts';
import { findCampaign } from './rows.ts';

/** The ledger of a campaign, recipient by recipient. */

/** As answers tell them; who holds a row does not matter to its reader. */
export const deliveryStates = [
  'pending',
  'submitted',
  'sent',
  'deferred',
  'failed',
  'unknown',
  'skipped',
  'cancelled',
] as const;

export type ShownState = (typeof deliveryStates)[number];

export const deliverySchema = z.strictObject({
  id: z.string(),
  campaign_id: z.string(),
  subscriber_id: z.string(),
  email: z.string().nullable(),
  state: z.enum(deliveryStates),
  reason: z.string().nullable().describe('Why it was skipped, deferred or failed'),
  attempts: z.int(),
  smtp_reply: z.string().nullable(),
  message_id: z.string().nullable(),
  sent_at: answerTimeSchema.nullable(),
});

export type DeliveryAnswer = z.input<typeof deliverySchema>;

interface DeliveriesRequest {
  readonly projectId: string;
  readonly campaignId: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly state?: ShownState | undefined;
}

/** A state that few are in is looked for among all, so pages are read on a thread. */
export const deliveriesTask = workerTask(
  import.meta.url,
  'deliveriesTask',
  ({ store }, request: DeliveriesRequest): Promise<Page<DeliveryTable>> =>
    page(
      request,
      'dlv',
      ({ after, limit }) => {
        let query = store.db
          .selectFrom('mail_deliveries')
          .selectAll()
          .where('campaign_id', '=', request.campaignId)
          .where('project_id', '=', request.projectId);
        if (request.state !== undefined) query = query.where('state', 'in', heldStates(request.state));
        if (after !== null) query = query.where('delivery_id', '>', after);
        return query.orderBy('delivery_id').limit(limit).execute();
      },
      (row) => row.delivery_id,
    ),
);

/** @throws Failure not_found; storage_timeout. */
export async function pageOfDeliveries(
  ports: CampaignsPorts,
  request: DeliveriesRequest,
  signal: AbortSignal,
): Promise<Page<DeliveryAnswer>> {
  await findCampaign(ports.store.db, request.projectId, request.campaignId);
  const { rows, next_cursor } = await runInTime(ports, deliveriesTask, request, signal);
  return { rows: rows.map(deliveryAnswer), next_cursor };
}

function heldStates(state: ShownState): DeliveryState[] {
  return state === 'pending' ? ['pending', 'claimed'] : [state];
}

function deliveryAnswer(row: DeliveryTable): DeliveryAnswer {
  return {
    id: row.delivery_id,
    campaign_id: row.campaign_id,
    subscriber_id: row.subscriber_id,
    // Emptied when the person is erased.
    email: row.email === '' ? null : row.email,
    state: row.state === 'claimed' ? 'pending' : row.state,
    reason: row.reason,
    attempts: row.attempts,
    smtp_reply: row.smtp_reply,
    message_id: row.message_id,
    sent_at: answerTimeOrNull(row.sent_us),
  };
}
