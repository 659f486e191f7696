import { sql } from 'kysely';
import type { CampaignsPorts } from '../../ports.ts';
import type { CampaignTable } from '../../tables.ts';
import { IDLE_STATES } from '../deliveries.ts';
import type { CampaignMailer } from '../ports.ts';
import { Throttle } from './throttle.ts';

/** How often put-off rows are looked for while there are others. */
const DEFERRED_LOOK_MS = 1_000;
const LONGEST_WAIT_MS = 1_000;
/** Between two looks while the audience is still being written into the ledger, batch by batch. */
const FREEZING_WAIT_MS = 50;

/** A running campaign, as a sender takes mails from it. */
export class CampaignSource {
  readonly campaignId: string;
  readonly mailer: CampaignMailer;
  /** Whether rows are still to come. */
  isFreezing = true;
  readonly #ports: CampaignsPorts;
  readonly #throttles: readonly Throttle[];
  #deferredLookMs = Number.NEGATIVE_INFINITY;

  constructor(ports: CampaignsPorts, campaign: CampaignTable, mailer: CampaignMailer) {
    this.campaignId = campaign.campaign_id;
    this.mailer = mailer;
    this.#ports = ports;
    const { perDomain } = ports.config.throttles;
    const { rate_per_second } = campaign;
    this.#throttles = [
      ...(rate_per_second === null
        ? []
        : [new Throttle(ports, `mail:campaign:${this.campaignId}`, rate_per_second)]),
      ...(perDomain === undefined ? [] : [new Throttle(ports, `mail:from:${mailer.fromDomain}`, perDomain)]),
    ];
  }

  /** How many mails its rates allow now, at most `most`. */
  async allow(most: number): Promise<number> {
    let allowed = most;
    for (const [index, throttle] of this.#throttles.entries()) {
      const given = await throttle.take(allowed);
      for (const earlier of this.#throttles.slice(0, index)) earlier.giveBack(allowed - given);
      allowed = given;
      if (allowed === 0) break;
    }
    return allowed;
  }

  giveBack(tokens: number): void {
    for (const throttle of this.#throttles) throttle.giveBack(tokens);
  }

  get throttleWaitMs(): number {
    return Math.max(0, ...this.#throttles.map((throttle) => throttle.waitMs));
  }

  /** Put-off rows first when it is their turn, as they have waited longest. */
  statesToTry(nowMs: number): (typeof IDLE_STATES)[number][] {
    if (nowMs - this.#deferredLookMs < DEFERRED_LOOK_MS) return ['pending'];
    this.#deferredLookMs = nowMs;
    return ['deferred', 'pending'];
  }

  /** Milliseconds until a row is due, as far as that can be known; at most a second. */
  async nextDueMs(): Promise<number> {
    if (this.isFreezing) return FREEZING_WAIT_MS;
    const now = this.#ports.clock.nowMicroseconds();
    let soonest = now + LONGEST_WAIT_MS * 1_000;
    for (const state of IDLE_STATES) {
      const { rows } = await sql<{ at: number | null }>`
        SELECT min(due_us) AS at FROM mail_deliveries
        WHERE campaign_id = ${this.campaignId} AND state = ${sql.lit(state)}`.execute(this.#ports.store.db);
      soonest = Math.min(soonest, rows[0]?.at ?? soonest);
    }
    return Math.max(0, Math.ceil((soonest - now) / 1_000));
  }
}
