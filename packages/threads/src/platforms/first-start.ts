import { type Clock, nowMilliseconds } from '@postern/kit';

/**
 * Up to where the posts of a channel are history at the very first start, in the server's milliseconds. What people
 * write while the connection is still being made counts as new: they have read that Postern is ready.
 *
 * The server's clock and ours may differ. Ours may be ahead: then all that is there is history. It may be behind:
 * then no more is taken for new than could have been written since the start, counted from the newest post.
 *
 * @param newestMs when the newest post there is was written.
 * @param sinceMs when the first try to connect began, by our clock.
 */
export function historyEndsMs(clock: Clock, newestMs: number, sinceMs: number): number {
  if (newestMs <= sinceMs) return newestMs;
  return Math.max(sinceMs, newestMs - (nowMilliseconds(clock) - sinceMs));
}
