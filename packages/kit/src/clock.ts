/** Time and chance as ports, so that tests need neither to sleep nor to hope. */

export interface Clock {
  /** Microseconds since the Unix epoch, as an integer (safe until the year 2255). */
  nowMicroseconds(): number;
  /** Resolves after the given time, or at once when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** `length` bytes fit for secrets. */
  bytes(length: number): Uint8Array;
}

/** Milliseconds since the epoch of a clock. */
export function nowMilliseconds(clock: Clock): number {
  return Math.floor(clock.nowMicroseconds() / 1_000);
}
