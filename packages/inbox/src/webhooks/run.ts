import { webhookDelivery } from '@postern/http';
import { type Job, runOutbox } from '@postern/store';
import { attachmentUrl } from '../attachments/urls.ts';
import type { Envelope } from '../envelope.ts';
import type { InboxPorts } from '../ports.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from './enqueue.ts';

/** Pushes what the outbox holds to the configured targets, until the signal aborts. */
export function runWebhooks(ports: InboxPorts, signal: AbortSignal): Promise<void> {
  return runOutbox({
    store: ports.store,
    topic: WEBHOOK_TOPIC,
    signal,
    log: ports.log,
    handle: webhookDelivery({
      clock: ports.clock,
      random: ports.random,
      requestFor: (job) => requestFor(ports, job),
    }),
  });
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
