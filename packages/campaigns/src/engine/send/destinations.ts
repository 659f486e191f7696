import type { CampaignsPorts } from '../../ports.ts';
import { spread } from './backoff.ts';
import { Throttle } from './throttle.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** Destinations remembered; the one not used for longest is forgotten first. */
const MOST = 10_000;

interface Destination {
  readonly throttle: Throttle | null;
  /** How long it is left alone after the next complaint about our pace; 0 when all is well. */
  pauseMs: number;
  quietUntilUs: number;
  /** When the last mail that had to wait may leave; the next one waits for its turn after it. */
  lastSlotUs: number;
}

/** How fast each destination domain takes our mail: by configuration, and by what its servers say. */
export class Destinations {
  readonly #ports: CampaignsPorts;
  readonly #known = new Map<string, Destination>();

  constructor(ports: CampaignsPorts) {
    this.#ports = ports;
  }

  /** @returns 0 when a mail may leave now; else the time it may, in microseconds since the epoch. */
  async admit(domain: string): Promise<number> {
    const one = this.#of(domain);
    const now = this.#ports.clock.nowMicroseconds();
    if (one.quietUntilUs > now) return one.quietUntilUs + spread(100_000, this.#ports.random);
    if (one.throttle === null || (await one.throttle.take(1)) === 1) return 0;
    // Each gets a turn of its own, so that what waits does not come back all at once.
    const { perDestination = 1 } = this.#ports.config.throttles;
    one.lastSlotUs = Math.max(now, one.lastSlotUs) + Math.ceil(1_000_000 / perDestination);
    return one.lastSlotUs;
  }

  /** It said that we are too fast: leave it alone, each time for longer. */
  slowDown(domain: string): void {
    const one = this.#of(domain);
    one.pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, one.pauseMs * 2));
    one.quietUntilUs = this.#ports.clock.nowMicroseconds() + spread(one.pauseMs * 1_000, this.#ports.random);
  }

  succeed(domain: string): void {
    const one = this.#known.get(domain);
    if (one && one.pauseMs > 0) one.pauseMs = one.pauseMs > FIRST_PAUSE_MS ? one.pauseMs / 2 : 0;
  }

  #of(domain: string): Destination {
    const known = this.#known.get(domain);
    if (known) {
      this.#known.delete(domain);
      this.#known.set(domain, known);
      return known;
    }
    const { perDestination } = this.#ports.config.throttles;
    const throttle =
      perDestination === undefined ? null : new Throttle(this.#ports, `mail:to:${domain}`, perDestination);
    const fresh = { throttle, pauseMs: 0, quietUntilUs: 0, lastSlotUs: 0 };
    this.#known.set(domain, fresh);
    if (this.#known.size > MOST) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return fresh;
  }
}
