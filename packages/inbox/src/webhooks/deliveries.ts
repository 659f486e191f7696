import { formatMicroseconds } from '@postern/kit';
import { findJob, type Job, listJobs, reviveJob } from '@postern/store';
import { recordAct } from '../access/audit.ts';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';
import { WEBHOOK_TOPIC, type WebhookJob } from './enqueue.ts';

/** A delivery as the operator sees it. */
export interface DeliveryView {
  readonly id: string;
  readonly event: string;
  readonly url: string;
  readonly message_id: string;
  readonly channel_id: string;
  /** Who wrote the message, by name. */
  readonly sender: string;
  readonly state: 'pending' | 'done' | 'dead';
  readonly attempts: number;
  readonly response_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
}

function viewOf(job: Job): DeliveryView {
  const { url, body }: WebhookJob = JSON.parse(job.payload);
  const isOpen = job.state === 'pending' || job.state === 'claimed';
  return {
    id: String(job.id),
    event: body.type,
    url,
    message_id: body.data.id,
    channel_id: body.data.channel_id,
    sender: body.data.sender.display_name,
    state: job.state === 'claimed' ? 'pending' : job.state,
    attempts: job.attempts,
    response_status: job.lastStatus,
    last_error: job.lastError,
    created_at: formatMicroseconds(job.createdUs),
    next_attempt_at: isOpen ? formatMicroseconds(job.runAtUs) : null,
  };
}

/** Deliveries of one state, newest first. */
export async function listDeliveries(
  { store }: Pick<InboxPorts, 'store'>,
  page: { state: DeliveryView['state']; limit: number; cursor: string | null },
): Promise<{ deliveries: DeliveryView[]; next_cursor: string | null }> {
  const jobs = await listJobs(store.db, {
    topic: WEBHOOK_TOPIC,
    states: page.state === 'pending' ? ['pending', 'claimed'] : [page.state],
    limit: page.limit + 1,
    before: page.cursor === null ? undefined : Number(page.cursor),
  });
  const shown = jobs.slice(0, page.limit);
  return {
    deliveries: shown.map(viewOf),
    next_cursor: jobs.length > page.limit ? String(shown.at(-1)?.id ?? '') : null,
  };
}

/**
 * Makes a dead delivery due again, its attempts counted anew.
 *
 * @throws Failure NOT_FOUND when there is no dead delivery of that id.
 */
export async function replayDelivery(
  ports: InboxPorts,
  deliveryId: string,
  actor: string,
): Promise<DeliveryView> {
  const job = await ports.store.transaction(async (tx) => {
    const found = await findJob(tx, Number(deliveryId));
    const revived = found?.topic === WEBHOOK_TOPIC ? await reviveJob(tx, found.id) : undefined;
    if (!revived) throw fail('NOT_FOUND', `There is no dead delivery ${deliveryId}.`);
    await recordAct(tx, ports, { actor, action: 'webhook.replay', target: deliveryId });
    return revived;
  });
  return viewOf(job);
}
