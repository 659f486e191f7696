import { webhookDelivery } from '@postern/http';
import { type Job, type JobOutcome, runOutbox, type Store, type StoreTables } from '@postern/store';
import type { CampaignsPorts } from '../ports.ts';
import { unseal } from '../seal.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from './events.ts';

/** Pushes events to the projects' webhooks until the signal aborts, and notes what became of each. */
export function runWebhooks(ports: CampaignsPorts, signal: AbortSignal): Promise<void> {
  const deliver = webhookDelivery({
    clock: ports.clock,
    random: ports.random,
    requestFor: (job) => requestFor(ports, job),
  });
  return runOutbox({
    store: ports.store as unknown as Store<StoreTables>,
    topic: WEBHOOK_TOPIC,
    signal,
    log: ports.log,
    async handle(job, jobSignal) {
      const outcome = await deliver(job, jobSignal);
      await note(ports, job, outcome);
      return outcome;
    },
  });
}

/** What a job stands for by today's settings: the webhook may have been changed, switched off or deleted. */
async function requestFor(ports: CampaignsPorts, job: Job) {
  const { deliveryId }: WebhookJob = JSON.parse(job.payload);
  const row = await ports.store.db
    .selectFrom('mail_webhook_deliveries')
    .innerJoin('mail_webhooks', 'mail_webhooks.webhook_id', 'mail_webhook_deliveries.webhook_id')
    .select(['body', 'url', 'enabled', 'secret_sealed'])
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  if (!row) return { gone: 'The webhook was deleted.' };
  if (row.enabled === 0) return { gone: 'The webhook is switched off.' };
  return {
    url: row.url,
    id: deliveryId,
    body: row.body,
    secrets: [unseal(ports, 'webhook', row.secret_sealed)],
    allowLoopback: mayReachLoopback(ports),
  };
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where the hub itself is only for this machine, whoever can make a webhook can reach this machine anyway. */
function mayReachLoopback({ config, publicUrl }: CampaignsPorts): boolean {
  return config.webhooks.allowLoopback || LOOPBACK_HOSTS.has(new URL(publicUrl()).hostname);
}

async function note({ store, clock }: CampaignsPorts, job: Job, outcome: JobOutcome): Promise<void> {
  if (outcome.result === 'settled') return;
  const { deliveryId }: WebhookJob = JSON.parse(job.payload);
  const now = clock.nowMicroseconds();
  const retryUs = outcome.result === 'retry' ? now + Math.round(outcome.afterMs * 1_000) : null;
  await store.db
    .updateTable('mail_webhook_deliveries')
    .set((column) => ({
      state: outcome.result === 'retry' ? 'pending' : outcome.result,
      attempts: column('attempts', '+', 1),
      response_status: outcome.status ?? null,
      last_error: outcome.result === 'done' ? null : outcome.error,
      next_attempt_us: retryUs,
      updated_us: now,
    }))
    .where('delivery_id', '=', deliveryId)
    .execute();
}
