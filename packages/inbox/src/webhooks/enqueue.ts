import { formatMilliseconds, nowMilliseconds } from '@postern/kit';
import { enqueue } from '@postern/store';
import type { Envelope } from '../envelope.ts';
import { envelopesOf, type MessageRow } from '../messages/envelopes.ts';
import type { InboxPorts, InboxTransaction } from '../ports.ts';

export const WEBHOOK_TOPIC = 'inbox_webhook';

export interface WebhookEvent {
  readonly type: 'message.received' | 'message.updated' | 'message.deleted';
  readonly message: MessageRow;
}

/** What an outbox row of the topic holds: where it goes, and the body less its fresh attachment addresses. */
export interface WebhookJob {
  readonly url: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Envelope };
}

/** Puts one delivery per configured target into the outbox, in the transaction of the message itself. */
export async function enqueueWebhooks(
  tx: InboxTransaction,
  ports: InboxPorts,
  events: readonly WebhookEvent[],
): Promise<void> {
  if (ports.config.webhooks.length === 0 || events.length === 0) return;
  const timestamp = formatMilliseconds(nowMilliseconds(ports.clock));
  const envelopes = await envelopesOf(
    tx,
    events.map((event) => event.message),
    ports,
    'agent',
  );
  for (const [index, data] of envelopes.entries()) {
    const type = events[index]?.type;
    if (type === undefined) throw new Error('there is one envelope for each event');
    for (const webhook of ports.config.webhooks) {
      const job: WebhookJob = { url: webhook.url, body: { type, timestamp, data } };
      await enqueue(tx, { topic: WEBHOOK_TOPIC, payload: JSON.stringify(job) });
    }
  }
}
