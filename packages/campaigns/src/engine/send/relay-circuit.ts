import type { Clock } from '@postern/kit';

const FIRST_WAIT_MS = 1_000;
/** A relay that is away is tried again at least this often (contract, 8.17). */
const LONGEST_WAIT_MS = 30_000;

/** Whether it makes sense to take mails out of the ledger: not while no relay can be reached. */
export class RelayCircuit {
  readonly #clock: Clock;
  #waitMs = 0;
  #openUntilUs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the next try; 0 when mails may be taken. */
  get waitMs(): number {
    return Math.max(0, Math.ceil((this.#openUntilUs - this.#clock.nowMicroseconds()) / 1_000));
  }

  /** Whether the last try failed; then one mail is enough to find out. */
  get isTrying(): boolean {
    return this.#waitMs > 0;
  }

  fail(): void {
    // Those that were under way at the same time say nothing new.
    if (this.waitMs > 0) return;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, this.#waitMs * 2));
    this.#openUntilUs = this.#clock.nowMicroseconds() + this.#waitMs * 1_000;
  }

  succeed(): void {
    this.#waitMs = 0;
    this.#openUntilUs = 0;
  }
}
