import { problem } from '@postern/http';
import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import type { WebhookDeliveryTable } from '../tables.ts';
import { enqueueDelivery } from './events.ts';
import { type WebhookDeliveryAnswer, webhookDeliveryAnswer } from './shapes.ts';
import { requireWebhook } from './webhooks.ts';

/** Events on their way to a webhook, and what became of them. */

/** Newest first. @throws Failure not_found. */
export async function pageOfDeliveries(
  { store }: CampaignsPorts,
  projectId: string,
  webhookId: string,
  request: {
    limit: number;
    cursor?: string | undefined;
    state?: WebhookDeliveryTable['state'] | undefined;
  },
): Promise<Page<WebhookDeliveryAnswer>> {
  await requireWebhook(store.db, projectId, webhookId);
  const { rows, next_cursor } = await page(
    request,
    'dlv',
    ({ after, limit }) => {
      let query = store.db
        .selectFrom('mail_webhook_deliveries')
        .selectAll()
        .where('webhook_id', '=', webhookId);
      if (request.state !== undefined) query = query.where('state', '=', request.state);
      if (after !== null) query = query.where('delivery_id', '<', after);
      return query.orderBy('delivery_id', 'desc').limit(limit).execute();
    },
    (row) => row.delivery_id,
  );
  return { rows: rows.map(webhookDeliveryAnswer), next_cursor };
}

/**
 * Sends an event again, its attempts counted anew. It keeps its id, so that a receiver knows it.
 *
 * @throws Failure not_found; precondition_failed while it is still on its way, or its webhook is switched off.
 */
export async function redeliver(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDeliveryAnswer> {
  return ports.store.transaction(async (tx) => {
    const webhook = await requireWebhook(tx, projectId, webhookId);
    const query = tx
      .selectFrom('mail_webhook_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('delivery_id', '=', deliveryId);
    const found = await forUpdate(tx, query).executeTakeFirst();
    if (!found) throw problem('not_found', `There is no delivery ${deliveryId} of this webhook.`);
    if (found.state === 'pending') throw refused('delivery_id', 'names a delivery that is still on its way');
    if (webhook.enabled === 0) throw refused('webhook_id', 'names a webhook that is switched off');
    const now = ports.clock.nowMicroseconds();
    const row: WebhookDeliveryTable = {
      ...found,
      state: 'pending',
      attempts: 0,
      response_status: null,
      last_error: null,
      next_attempt_us: now,
      updated_us: now,
    };
    await tx.updateTable('mail_webhook_deliveries').set(row).where('delivery_id', '=', deliveryId).execute();
    await enqueueDelivery(tx, deliveryId);
    await recordAct(tx, ports, { actor, action: 'redeliver_webhook', target: deliveryId });
    return webhookDeliveryAnswer(row);
  });
}

function refused(field: string, message: string) {
  return problem('precondition_failed', `${field} ${message}.`, {
    violations: [{ field, code: 'invalid_state', message }],
  });
}

/** Deliveries are kept for a month. */
const KEPT_US = 30 * 24 * 3_600 * 1_000_000;
const BATCH = 1_000;

/** Removes old deliveries, batch by batch. */
export async function purgeDeliveries({ store, clock }: CampaignsPorts): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    const old = store.db
      .selectFrom('mail_webhook_deliveries')
      .select('delivery_id')
      .where('created_us', '<', clock.nowMicroseconds() - KEPT_US)
      .limit(BATCH);
    const { numDeletedRows } = await store.db
      .deleteFrom('mail_webhook_deliveries')
      .where('delivery_id', 'in', old)
      .executeTakeFirstOrThrow();
    removed = Number(numDeletedRows);
  }
}
