import { type Clock, nowMilliseconds } from '@postern/kit';

/**
 * How often posts may be edited on a platform, shared by all its sessions. Turns come in the order of asking, and
 * a session asks for one at a time, so none is starved. Whoever gets a turn writes what is the newest by then:
 * under load edits become rarer and say more.
 */
export class EditBudget {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();

  /** @param intervalMs The platform's `editIntervalMs`; 0 is no limit. */
  constructor({ clock, intervalMs }: { readonly clock: Clock; readonly intervalMs: number }) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Resolves when an edit may be made, or at once when the signal aborts. */
  take(signal?: AbortSignal): Promise<void> {
    if (this.#intervalMs <= 0) return Promise.resolve();
    this.#last = this.#last.then(() => this.#turn(signal));
    return this.#last;
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const wait = this.#nextMs - nowMilliseconds(this.#clock);
    // A clock that was set back must not hold anybody up for longer than the interval.
    if (wait > 0) await this.#clock.sleep(Math.min(wait, this.#intervalMs), signal);
    this.#nextMs = nowMilliseconds(this.#clock) + this.#intervalMs;
  }
}
