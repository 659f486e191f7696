import type { RateLimitData } from 'discord.js';
import { DEFAULT_PAUSES, type DiscordPauses } from './options.ts';

/** A person may be waiting for a send; what was missed can wait. */
const LONGEST_READ_WAIT_MS = 5 * 60_000;

/** What rate limits may cost a call: the library waits them out, however many there are of one call. */
export class RateLimits {
  readonly #pauses: Pick<DiscordPauses, 'firstMs' | 'limitedMs'>;
  /** Since when calls to a channel have been held up, in the process's own time. */
  readonly #since = new Map<string, number>();

  constructor(pauses: Partial<DiscordPauses> = {}) {
    this.#pauses = { ...DEFAULT_PAUSES, ...pauses };
  }

  /** Whether a call is given up for a limit. One that says not for how long is not answered with call after call. */
  async isTooMuch({ method, majorParameter, timeToReset, retryAfter }: RateLimitData): Promise<boolean> {
    const wait = Math.max(timeToReset, retryAfter);
    if (retryAfter <= 0) await new Promise((resolve) => setTimeout(resolve, this.#pauses.firstMs));
    if (method !== 'POST') return wait > LONGEST_READ_WAIT_MS;
    const now = performance.now();
    const since = this.#since.get(majorParameter) ?? now;
    this.#since.set(majorParameter, since);
    return now - since + wait > this.#pauses.limitedMs;
  }

  /** Makes a call to a channel. */
  async around<Answer>(channelId: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } finally {
      this.#since.delete(channelId);
    }
  }
}
