import type { CampaignsPorts } from '../../ports.ts';
import { runInWorker } from '../../workers/task.ts';
import { freezeTask } from '../audience/of-campaign.ts';
import { moveCampaign } from './campaign-state.ts';
import { ENGINE_CHANNEL } from './channels.ts';

/** Campaigns frozen at a time by this process. */
const MOST_AT_ONCE = 4;

/**
 * Freezes the audiences of launched campaigns beside the control loop, each in one process at a time. A campaign that
 * is paused or cancelled meanwhile is frozen to the end all the same, so that its counts are of its whole audience.
 */
export class Freezing {
  readonly #ports: CampaignsPorts;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<void>>();

  constructor(ports: CampaignsPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  /** Starts what is to be frozen and there is room for. */
  async look(): Promise<void> {
    const room = MOST_AT_ONCE - this.#running.size;
    if (room <= 0) return;
    const launched = await this.#ports.store.db
      .selectFrom('mail_campaigns')
      .select('campaign_id')
      .where('state', 'in', ['running', 'paused', 'cancelled'])
      .where('launched_us', 'is not', null)
      .where('frozen_us', 'is', null)
      .orderBy('launched_us')
      .limit(MOST_AT_ONCE)
      .execute();
    for (const { campaign_id } of launched.slice(0, room)) {
      if (this.#running.has(campaign_id)) continue;
      const freezing = this.#freeze(campaign_id)
        .catch((error: unknown) =>
          this.#ports.log.error({ err: error, campaignId: campaign_id }, 'an audience could not be frozen'),
        )
        .finally(() => this.#running.delete(campaign_id));
      this.#running.set(campaign_id, freezing);
    }
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #freeze(campaignId: string): Promise<void> {
    const lease = await this.#ports.store.tryLease(`mail:freeze:${campaignId}`);
    if (!lease) return;
    try {
      const signal = AbortSignal.any([this.#signal, lease.lost]);
      const outcome = await runInWorker(this.#ports, freezeTask, { campaignId }, signal);
      if (typeof outcome === 'object') {
        await this.#ports.store.transaction((tx) =>
          moveCampaign(tx, this.#ports, campaignId, 'fail', outcome.unfit),
        );
      }
      // A thread can't tell the senders itself, which look at an empty ledger once a second.
      this.#ports.store.notify(ENGINE_CHANNEL);
    } finally {
      await lease.release();
    }
  }
}
