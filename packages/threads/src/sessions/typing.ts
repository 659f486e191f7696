import type { Clock } from '@postern/kit';
import type { OutputPlace } from './joins.ts';

/** Platforms show it for some seconds. */
const AGAIN_MS = 4_000;

/**
 * Shows that the bot is at work until the signal aborts, but not while it waits for a person: who reads that it is
 * typing waits too.
 */
export async function showTyping(
  place: OutputPlace,
  clock: Clock,
  isWaiting: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (!(await isWaiting())) await place.platform.typing(place.channelId, place.threadId);
    await clock.sleep(AGAIN_MS, signal);
  }
}
