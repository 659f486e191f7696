import { StoreBusyError } from '../errors.ts';
import { pause } from '../pause.ts';

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Between two looks of who closes for those who stepped aside. */
const BACK_MS = 5;

/** Lets one in at a time, first come first served; nobody waits longer than the deadline. */
export class Turnstile {
  readonly #waiters = new Set<Waiter>();
  /** Those who stepped aside and want to come back. */
  readonly #returning: (() => void)[] = [];
  #aside = 0;
  readonly #waitMs: number;
  readonly #maxWaiting: number;
  #taken = false;
  #closed = false;

  constructor(waitMs: number, maxWaiting: number) {
    this.#waitMs = waitMs;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws StoreBusyError when too many wait already, the deadline passes, or the turnstile is closed. */
  async enter(): Promise<void> {
    if (this.#closed) throw closedError();
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    if (this.#waiters.size >= this.#maxWaiting) {
      throw new StoreBusyError(`the database is busy: ${this.#waiters.size} wait for it already`);
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new StoreBusyError(`the database was not free within ${this.#waitMs} ms`));
      }, this.#waitMs);
      const waiter: Waiter = { admit: resolve, refuse: reject, timer };
      this.#waiters.add(waiter);
    });
  }

  /** Lets others in for the time of a pause. Whoever was in comes back before those who have not been in yet. */
  async stepAside(pause: () => Promise<void>): Promise<void> {
    this.#aside += 1;
    this.leave();
    await pause();
    if (this.#taken) await new Promise<void>((resolve) => this.#returning.push(resolve));
    this.#taken = true;
    this.#aside -= 1;
  }

  leave(): void {
    const back = this.#returning.shift();
    if (back) {
      back();
      return;
    }
    const [next] = this.#waiters;
    if (!next) {
      this.#taken = false;
      return;
    }
    this.#waiters.delete(next);
    clearTimeout(next.timer);
    next.admit();
  }

  /** Refuses all who come later. Those who wait get their turn; resolves when the last has left. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const last = this.enter();
    this.#closed = true;
    await last;
    while (this.#aside > 0) await this.stepAside(() => pause(BACK_MS));
  }
}

function closedError(): StoreBusyError {
  return new StoreBusyError('the store is closed');
}
