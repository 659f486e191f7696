import type { CampaignsPorts } from '../../ports.ts';
import { runInWorker } from '../../workers/task.ts';
import { dropTask } from '../ledger/drop.ts';
import { campaignsWithRowsIn } from '../ledger/recover.ts';

/**
 * Drops what cancelled and failed campaigns had not handed over, one campaign after the other, off the event loop and
 * beside the control loop: that of a million takes a while, and holds up nothing else.
 */
export class Dropping {
  readonly #ports: CampaignsPorts;
  readonly #signal: AbortSignal;
  #running: Promise<void> | undefined;

  constructor(ports: CampaignsPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  /** Begins with what there is, unless it is at work. */
  async look(): Promise<void> {
    if (this.#running !== undefined) return;
    const ended = await this.#ended();
    if (ended.length === 0) return;
    this.#running = this.#drop(ended)
      .catch((error: unknown) =>
        this.#ports.log.warn({ err: error }, 'mails of ended campaigns could not be dropped; trying again'),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #ended(): Promise<string[]> {
    const withRows = await campaignsWithRowsIn(this.#ports, ['pending', 'claimed', 'deferred']);
    if (withRows.length === 0) return [];
    const ended = await this.#ports.store.db
      .selectFrom('mail_campaigns')
      .select('campaign_id')
      .where('campaign_id', 'in', withRows)
      .where('state', 'in', ['cancelled', 'failed'])
      .execute();
    return ended.map(({ campaign_id }) => campaign_id);
  }

  async #drop(campaignIds: readonly string[]): Promise<void> {
    for (const campaignId of campaignIds) {
      if (this.#signal.aborted) return;
      await runInWorker(this.#ports, dropTask, { campaignId }, this.#signal);
    }
  }
}
