import { formatMilliseconds } from '@postern/kit';
import { parseAddress } from '@postern/mail';
import { enqueue, type StoreTables, type Transaction } from '@postern/store';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { suppressionHash } from '../suppressions/hash.ts';
import type { WebhookDeliveryTable } from '../tables.ts';

/** Events that webhooks can ask for (contract, 8.14). */
export const webhookEvents = [
  'delivery.sent',
  'delivery.bounced',
  'delivery.complained',
  'subscriber.unsubscribed',
  'campaign.finished',
  'campaign.paused',
  'campaign.failed',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

export interface ProjectEvent {
  readonly projectId: string;
  readonly type: WebhookEvent;
  readonly data: Readonly<Record<string, unknown>>;
}

export const WEBHOOK_TOPIC = 'mail_webhook';

/** What a job of the topic carries. */
export interface WebhookJob {
  readonly deliveryId: string;
}

/**
 * Tells the project's webhooks what happened, in the transaction in which it happened: one delivery for each enabled
 * webhook that asked for the event.
 */
export async function emitEvents(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'clock' | 'newId' | 'installationKey'>,
  events: readonly ProjectEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const projectIds = [...new Set(events.map((event) => event.projectId))];
  const webhooks = await tx
    .selectFrom('mail_webhooks')
    .select(['webhook_id', 'project_id', 'events'])
    .where('project_id', 'in', projectIds)
    .where('enabled', '=', 1)
    .execute();
  if (webhooks.length === 0) return;
  const wanted = webhooks.map((webhook) => ({ ...webhook, types: new Set(webhook.events.split(' ')) }));
  const nowUs = ports.clock.nowMicroseconds();
  for (const { projectId, type, data } of events) {
    const timestamp = formatMilliseconds(Math.floor(nowUs / 1_000));
    const body = JSON.stringify({ type, timestamp, data });
    const person = personIn(ports, projectId, data);
    for (const webhook of wanted) {
      if (webhook.project_id !== projectId || !webhook.types.has(type)) continue;
      await insertDelivery(tx, ports, {
        webhookId: webhook.webhook_id,
        projectId,
        event: type,
        person,
        body,
      });
    }
  }
}

/** Whom an event tells of, so that it can go with them when they are erased. */
function personIn(
  ports: Pick<CampaignsPorts, 'installationKey'>,
  projectId: string,
  { email }: ProjectEvent['data'],
): string | null {
  const address = typeof email === 'string' ? parseAddress(email) : null;
  return address === null || address.fault !== undefined
    ? null
    : suppressionHash(ports, projectId, address.key);
}

async function insertDelivery(
  tx: CampaignsTransaction,
  { clock, newId }: Pick<CampaignsPorts, 'clock' | 'newId'>,
  delivery: Pick<WebhookDeliveryTable, 'person' | 'body'> & {
    webhookId: string;
    projectId: string;
    event: WebhookEvent;
  },
): Promise<void> {
  const nowUs = clock.nowMicroseconds();
  const deliveryId = newId('dlv');
  await tx
    .insertInto('mail_webhook_deliveries')
    .values({
      delivery_id: deliveryId,
      webhook_id: delivery.webhookId,
      project_id: delivery.projectId,
      event: delivery.event,
      person: delivery.person,
      body: delivery.body,
      state: 'pending',
      attempts: 0,
      response_status: null,
      last_error: null,
      next_attempt_us: nowUs,
      created_us: nowUs,
      updated_us: nowUs,
    })
    .execute();
  await enqueueDelivery(tx, deliveryId);
}

/** Puts the work of a delivery into the outbox. */
export async function enqueueDelivery(tx: CampaignsTransaction, deliveryId: string): Promise<void> {
  const job: WebhookJob = { deliveryId };
  await enqueue(tx as unknown as Transaction<StoreTables>, {
    topic: WEBHOOK_TOPIC,
    payload: JSON.stringify(job),
  });
}
