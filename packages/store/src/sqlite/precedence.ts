/**
 * Who writes first among the connections that threads of one process have to one file. SQLite lets one write at a
 * time and keeps no row of those who wait: each looks again now and then, so whoever writes in bulk would keep out
 * whoever has a request to answer. The process's own connection is the host; while it waits, the connections of its
 * threads begin nothing new.
 */
export class Precedence {
  /** Give it to the stores of the process's threads. */
  readonly shared: SharedArrayBuffer;
  /** How many transactions of the host wait for the lock. */
  readonly #waiting: Int32Array;
  readonly #isHost: boolean;

  /** @param shared that of the host; without it this is the host. */
  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#waiting = new Int32Array(this.shared);
    this.#isHost = shared === undefined;
  }

  /** Whether another connection should write first. */
  get hasToWait(): boolean {
    return !this.#isHost && Atomics.load(this.#waiting, 0) > 0;
  }

  /** Says that this connection waits for the lock; call what it returns once it has it, or has given up. */
  wait(): () => void {
    if (!this.#isHost) return () => undefined;
    Atomics.add(this.#waiting, 0, 1);
    return () => void Atomics.sub(this.#waiting, 0, 1);
  }
}
