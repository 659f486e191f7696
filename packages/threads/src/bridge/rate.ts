import { type Clock, nowMilliseconds } from '@postern/kit';

/** A bucket of calls: so many at once, then so many a second. */
export interface CallRate {
  /** Takes one; false when there is none. */
  take(): boolean;
}

export function callRate(
  clock: Clock,
  limits: { readonly burst: number; readonly perSecond: number },
): CallRate {
  let left = limits.burst;
  let at = nowMilliseconds(clock);
  return {
    take() {
      const now = nowMilliseconds(clock);
      left = Math.min(limits.burst, left + (Math.max(0, now - at) / 1_000) * limits.perSecond);
      at = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
