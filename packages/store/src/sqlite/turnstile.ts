import { StoreBusyError } from '../errors.ts';

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Lets one in at a time, first come first served; nobody waits longer than the deadline. */
export class Turnstile {
  readonly #waiters = new Set<Waiter>();
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

  leave(): void {
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
  }
}

function closedError(): StoreBusyError {
  return new StoreBusyError('the store is closed');
}
