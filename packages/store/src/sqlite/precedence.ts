/**
 * Who writes first among the connections that threads of one process have to one file. SQLite lets one write at a
 * time and keeps no row of those who wait: each looks again now and then, so whoever writes in bulk would keep out
 * whoever has a request to answer. The process's own connection is the host; while it waits, the connections of its
 * threads begin nothing new.
 */
export class Precedence {
  /** Give it to the stores of the process's threads. */
  readonly shared: SharedArrayBuffer;
  /** How many wait for the lock, of the host and of all, and when the last one began to. */
  readonly #waiting: Int32Array;
  readonly #isHost: boolean;

  /** @param shared that of the host; without it this is the host. */
  constructor(shared?: SharedArrayBuffer) {
    this.shared = shared ?? new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
    this.#waiting = new Int32Array(this.shared);
    this.#isHost = shared === undefined;
  }

  /** Whether the host should write first. */
  get hasToWait(): boolean {
    return !this.#isHost && Atomics.load(this.#waiting, HOST) > 0;
  }

  /** Whether anybody waits for the lock, or has done so a moment ago. */
  get isAwaited(): boolean {
    return (
      Atomics.load(this.#waiting, ALL) > 0 ||
      nowSeconds() - Atomics.load(this.#waiting, LAST) <= REMEMBERED_SECONDS
    );
  }

  /** Says that this connection waits for the lock; call what it returns once it has it, or has given up. */
  wait(): () => void {
    const change = (by: 1 | -1) => {
      Atomics.add(this.#waiting, ALL, by);
      if (this.#isHost) Atomics.add(this.#waiting, HOST, by);
    };
    Atomics.store(this.#waiting, LAST, nowSeconds());
    change(1);
    return () => change(-1);
  }
}

const HOST = 0;
const ALL = 1;
const LAST = 2;

/** Seconds for which it is remembered, at least, that somebody waited: whoever did will often wait again. */
const REMEMBERED_SECONDS = 1;

/** The same in all threads, and whatever happens to the wall clock. */
function nowSeconds(): number {
  return Math.floor((performance.timeOrigin - EPOCH_MS + performance.now()) / 1_000);
}

/** Nearer than that of the clocks, so that 32 bits are enough for longer than it matters. */
const EPOCH_MS = Date.UTC(2025, 0, 1);
