import { type StoreHandle, takeTokens } from '@postern/store';
import type { CampaignsPorts } from '../../ports.ts';

/** Tokens are fetched for this part of a second at once, so fast rates do not cost a statement for each mail. */
const CHUNKS_PER_SECOND = 20;

/**
 * A rate that all processes share and that survives a restart: the bucket is in the database, and holds no more than
 * a twentieth of a second's mails, so no burst comes after a pause.
 */
export class Throttle {
  readonly #ports: Pick<CampaignsPorts, 'store'>;
  readonly #name: string;
  readonly #perSecond: number;
  readonly #chunk: number;
  #inHand = 0;

  /** @param name of the bucket: `mail:campaign:<id>`, `mail:domain:<domain>`. */
  constructor(ports: Pick<CampaignsPorts, 'store'>, name: string, perSecond: number) {
    this.#ports = ports;
    this.#name = name;
    this.#perSecond = perSecond;
    this.#chunk = Math.max(1, Math.floor(perSecond / CHUNKS_PER_SECOND));
  }

  /** Takes up to `most` tokens. @returns how many; 0 says to come back after {@link waitMs}. */
  async take(most: number): Promise<number> {
    if (this.#inHand === 0) {
      const bucket = { name: this.#name, perSecond: this.#perSecond, burst: this.#chunk };
      const taken = await takeTokens(this.#ports.store.db as unknown as StoreHandle, bucket, this.#chunk);
      if (!taken.ok) return 0;
      this.#inHand = this.#chunk;
    }
    const given = Math.min(most, this.#inHand);
    this.#inHand -= given;
    return given;
  }

  /** Gives back what was not needed. */
  giveBack(tokens: number): void {
    this.#inHand = Math.min(this.#chunk, this.#inHand + tokens);
  }

  /** Time in which one chunk comes back, in milliseconds. */
  get waitMs(): number {
    return Math.ceil((this.#chunk / this.#perSecond) * 1_000);
  }
}
