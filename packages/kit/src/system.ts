import { randomBytes } from 'node:crypto';
import type { Clock, Random } from './clock.ts';

/** The real clock and the real source of chance. Nothing else in the packages asks the machine for either. */

/** Timers of the platform hold 31 bits of milliseconds; a longer wait fires at once. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** The wall clock. Its resolution is a millisecond, though it speaks of microseconds. */
export const systemClock: Clock = {
  nowMicroseconds: () => Date.now() * 1_000,
  async sleep(milliseconds, signal) {
    let rest = milliseconds;
    do {
      await timer(Math.min(rest, LONGEST_TIMER_MILLISECONDS), signal);
      rest -= LONGEST_TIMER_MILLISECONDS;
    } while (rest > 0 && signal?.aborted !== true);
  },
};

/** The operating system's generator, fit for secrets. */
export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
};

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(handle);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const handle = setTimeout(finish, Math.max(0, milliseconds));
    signal?.addEventListener('abort', finish, { once: true });
  });
}
