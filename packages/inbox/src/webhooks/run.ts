import { webhookDelivery } from '@postern/http';
import { type Job, runOutbox } from '@postern/store';
import { attachmentUrl } from '../attachments/urls.ts';
import type { Envelope } from '../envelope.ts';
import type { InboxPorts } from '../ports.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from './enqueue.ts';

/** Pushes what the outbox holds to the configured targets, until the signal aborts. */
export function runWebhooks(ports: InboxPorts, signal: AbortSignal): Promise<void> {
  const deliver = webhookDelivery({
    clock: ports.clock,
    random: ports.random,
    requestFor: (job) => requestFor(ports, job),
  });
  return runOutbox({
    store: ports.store,
    topic: WEBHOOK_TOPIC,
    signal,
    log: ports.log,
    async handle(job, jobSignal) {
      const outcome = await deliver(job, jobSignal);
      if (outcome.result === 'dead') tellGivenUp(ports, job, outcome.error);
      return outcome;
    },
  });
}

/** The address is left out: it may hold a secret of the receiver's. */
function tellGivenUp(ports: InboxPorts, job: Job, reason: string): void {
  const { body }: WebhookJob = JSON.parse(job.payload);
  ports.log.warn(
    { delivery: String(job.id), event: body.type, messageId: body.data.id, attempts: job.attempts, reason },
    'a webhook was given up; postern webhooks replay sends it again',
  );
}

/** What a job stands for by today's configuration: secrets may have been changed, or the target removed. */
function requestFor(ports: InboxPorts, job: Job) {
  const { url, body }: WebhookJob = JSON.parse(job.payload);
  const target = ports.config.webhooks.find((webhook) => webhook.url === url);
  if (!target) return { gone: 'The target is no longer in inbox.webhooks.' };
  return {
    url,
    id: `inbox_${job.id}`,
    body: JSON.stringify({ ...body, data: withFreshAddresses(ports, body.data) }),
    secrets: target.secrets,
    allowLoopback: target.allowLoopback,
  };
}

/** A retry or a replay may come long after the addresses of the first attempt have expired. */
function withFreshAddresses(ports: InboxPorts, envelope: Envelope): Envelope {
  return {
    ...envelope,
    attachments: envelope.attachments.map((attachment) => ({
      ...attachment,
      url: attachmentUrl(ports, attachment.id, 'agent'),
    })),
  };
}
